import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { interactionId, sessionId } from '../../shared/domain/ids';
import { type Database, openDatabase } from './database';
import { InteractionStore } from './interactions';
import { RewardStore } from './rewards';
import { MIGRATIONS } from './schema';
import { SessionStore } from './sessions';
import { SAMPLE_ANSWER, sampleRunning, sampleSession } from './testing/sample-rows';
import { TurnFactsStore } from './turn-facts';

let database: Database;
let turns: TurnFactsStore;
beforeEach(() => {
  database = openDatabase(':memory:');
  turns = new TurnFactsStore(database);
});
afterEach(() => database.close());

function insert(name: string, over: Parameters<typeof sampleSession>[1] = {}): void {
  new SessionStore(database).insert(sampleSession(name, over));
  const interactions = new InteractionStore(database);
  interactions.insertRunning(sampleRunning(`${name}-0`, name));
  interactions.finish(interactionId(`${name}-0`), SAMPLE_ANSWER);
}
const rate = (id: string, value: number): void =>
  new RewardStore(database).set({ interactionId: interactionId(id), value, raterId: null, note: null, ratedAt: 1 });
const end = (id: string, at: number): boolean => new SessionStore(database).end(sessionId(id), at, 'client');
const pending = (): string[] => [...turns.pendingSessions()].map(({ session }) => session.sessionId);

describe('TurnFactsStore', () => {
  it('reads what the rules need of a session, also of one without interactions, and null of none', () => {
    insert('s', { discountMode: 'tree', unratedPolicy: 'drop', consumer: 'external' });
    rate('s-0', -0.5);
    expect(turns.ofSession(sessionId('s'))).toMatchObject({
      session: { sessionId: 's', state: 'open', endReason: null, discountMode: 'tree', isExternal: true },
      turns: [
        { interactionId: 's-0', state: 'finished', outputTokens: 2, reward: -0.5, closed: null, requestId: 's-0' },
      ],
    });
    new SessionStore(database).insert(sampleSession('empty'));
    expect(turns.ofSession(sessionId('empty'))?.turns).toEqual([]);
    expect(turns.ofSession(sessionId('none'))).toBeNull();
  });

  it('loses no bit of a reward or a discount', () => {
    let k = 0;
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), unit, (value, turnDiscount) => {
        const name = `s${k++}`;
        insert(name, { turnDiscount });
        rate(`${name}-0`, value);
        const read = turns.ofSession(sessionId(name));
        // the database itself does not tell −0 from 0
        expect(read?.turns[0]?.reward).toBe(value + 0);
        expect(read?.session.turnDiscount).toBe(turnDiscount + 0);
      }),
    );
  });

  it('finds choices of one request by the id they share', () => {
    insert('s');
    database.run("UPDATE interactions SET interaction_id = 'x-2', choice = 2 WHERE interaction_id = 's-0'");
    expect(turns.ofSession(sessionId('s'))?.turns[0]).toMatchObject({ interactionId: 'x-2', requestId: 'x' });
  });

  it('lists ended sessions with work, oldest ended first, over many pages', () => {
    const names = Array.from({ length: 150 }, (_, k) => `s${k}`);
    for (const name of names) {
      insert(name);
      rate(`${name}-0`, 1);
    }
    for (const [k, name] of names.entries()) end(name, 1000 - (k % 7));
    const byEnd = names
      .map((name, k) => ({ name, at: 1000 - (k % 7) }))
      .sort((a, b) => a.at - b.at || (a.name < b.name ? -1 : 1));
    expect(pending()).toEqual(byEnd.map(({ name }) => name));
  });

  it.each([
    ['rated, then ended', 'hold', (name: string) => [rate(`${name}-0`, 1), end(name, 2)]],
    ['ended, then rated', 'hold', (name: string) => [end(name, 2), rate(`${name}-0`, 1)]],
    ['ended unrated under zero', 'zero', (name: string) => [end(name, 2)]],
    ['ended unrated under drop', 'drop', (name: string) => [end(name, 2)]],
  ] as const)('finds a session that was %s', (_name, unratedPolicy, act) => {
    insert('s', { unratedPolicy });
    expect(pending()).toEqual([]);
    act('s');
    expect(pending()).toEqual(['s']);
    turns.markLookedThrough('s');
    expect(pending()).toEqual([]);
    rate('s-0', -1);
    expect(pending()).toEqual(['s']);
  });

  it('does not list what was never rated, is still open, or is claimed', () => {
    for (const name of ['unrated', 'open', 'claimed']) insert(name);
    rate('open-0', 1);
    rate('claimed-0', 1);
    end('unrated', 2);
    end('claimed', 2);
    const giveBack = turns.claim(sessionId('claimed'));
    const giveBackToo = turns.claim(sessionId('claimed'));
    expect(pending()).toEqual([]);
    expect(turns.countOpenRated()).toBe(1);
    giveBack();
    expect(pending()).toEqual([]);
    giveBackToo();
    expect(pending()).toEqual(['claimed']);
  });

  it('takes an ended session once, and no open one', () => {
    insert('s');
    expect(turns.markTaken(sessionId('s'), 5)).toBe(false);
    end('s', 2);
    expect([turns.markTaken(sessionId('s'), 5), turns.markTaken(sessionId('s'), 6)]).toEqual([true, false]);
    expect(new SessionStore(database).find(sessionId('s'))?.takenAt).toBe(5);
    expect(turns.ofSession(sessionId('s'))?.session.isExternal).toBe(true);
  });
});

describe('the migration to pending marks', () => {
  it('marks exactly the sessions that had a rating no batch and no drop had closed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pending-'));
    const path = join(folder, 'old.db');
    const old = openDatabase(path, MIGRATIONS.slice(0, 2));
    for (const name of ['waiting', 'dropped', 'unrated']) {
      new SessionStore(old).insert(sampleSession(name));
      old.run(
        `INSERT INTO interactions (interaction_id, session_id, ordinal, state, messages, prompt_token_ids, temperature,
           distorted, created_at) VALUES (?, ?, 0, 'finished', '[]', x'', 1, 0, 1)`,
        [`${name}-0`, name],
      );
    }
    old.run("INSERT INTO rewards VALUES ('waiting-0', 1, NULL, NULL, 1), ('dropped-0', 1, NULL, NULL, 1)");
    old.run("INSERT INTO dropped VALUES ('dropped-0', 'too stale', 1)");
    old.run("UPDATE sessions SET state = 'ended', ended_at = 1");
    old.close();
    const opened = openDatabase(path);
    const found = [...new TurnFactsStore(opened).pendingSessions()].map(({ session }) => session.sessionId);
    opened.close();
    rmSync(folder, { recursive: true });
    expect(found).toEqual(['waiting']);
  });
});
