import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { interactionId } from '../../shared/domain/ids';
import type { TurnFacts } from '../../shared/domain/turn-facts';
import { planEpisodes } from './episode-plan';
import { aSession, aTurn } from './testing/session-turns';

const turns = fc
  .array(
    fc.record({
      state: fc.constantFrom('finished' as const, 'failed' as const, 'interrupted' as const),
      distorted: fc.boolean(),
      temperature: fc.constantFrom(0, 0.7, 1),
      outputTokens: fc.nat(2),
      untrainable: fc.constantFrom(null, null, 'lengths differ'),
      isReplaced: fc.boolean(),
      isUndelivered: fc.boolean(),
      requestKey: fc.constantFrom(null, 'k'),
      reward: fc.option(fc.constantFrom(-1, 0, 1), { nil: null }),
      closed: fc.constantFrom('batch' as const, 'dropped' as const, null),
      parent: fc.nat(),
    }),
    { maxLength: 8 },
  )
  .map((raw) =>
    raw.map(({ parent, ...facts }, k): TurnFacts => {
      const at = parent % (k + 1);
      return aTurn(k, { ...facts, parentId: at === k ? null : interactionId(`i${at}`) });
    }),
  );

const sessions = fc
  .record({
    turnDiscount: fc.constantFrom(0, 0.5, 1),
    discountMode: fc.constantFrom('linear' as const, 'tree' as const),
    unratedPolicy: fc.constantFrom('hold' as const, 'drop' as const, 'zero' as const),
    endReason: fc.constantFrom('client' as const, 'idle' as const, 'abort' as const),
  })
  .map(aSession);

describe('planEpisodes', () => {
  it('accounts for every open rating exactly once: in one episode row or excluded with a reason', () => {
    fc.assert(
      fc.property(sessions, turns, (session, facts) => {
        const plan = planEpisodes(session, facts);
        const seen = [
          ...plan.episodes.flatMap((episode) => episode.rows.map((row) => row.interactionId)),
          ...plan.excluded.map((exclusion) => exclusion.interactionId),
        ];
        expect(new Set(seen).size).toBe(seen.length);
        for (const turn of facts) {
          if (turn.closed !== null) expect(seen).not.toContain(turn.interactionId);
          else if (turn.reward !== null) expect(seen).toContain(turn.interactionId);
        }
        for (const episode of plan.episodes) expect(episode.rows.length).toBeGreaterThan(0);
        expect(new Set(plan.episodes.map(({ id }) => id)).size).toBe(plan.episodes.length);
      }),
    );
  });

  it('never plans a row whose evidence is unsound, which a retry replaced, or that nothing speaks of', () => {
    fc.assert(
      fc.property(sessions, turns, (session, facts) => {
        const planned = new Set(
          planEpisodes(session, facts).episodes.flatMap(({ rows }) => rows.map((r) => r.interactionId)),
        );
        const parents = new Set(facts.map((turn) => turn.parentId));
        for (const turn of facts.filter(({ interactionId: id }) => planned.has(id))) {
          expect(turn).toMatchObject({ state: 'finished', untrainable: null, distorted: false, closed: null });
          expect(turn.isReplaced && !parents.has(turn.interactionId)).toBe(false);
          expect(session.endReason).not.toBe('abort');
        }
        if (facts.every((turn) => turn.reward === null) && session.unratedPolicy !== 'zero')
          expect(planned.size).toBe(0);
      }),
    );
  });
});
