import type { InteractionId } from '../../shared/domain/ids';
import type { SessionFacts, TurnFacts } from '../../shared/domain/turn-facts';
import { knownOrphans } from './retry-orphans';
import { creditTurns } from './reward-discount';
import { branchHeads } from './tree-discount';

/** One row of a planned episode. */
export interface PlannedRow {
  readonly interactionId: InteractionId;
  /** return after turn discount */
  readonly reward: number;
  /** the raw value; null when only later turns were rated, or nobody rated it and it counts as 0 */
  readonly originalReward: number | null;
}

/** An episode before its tokens are read; `rows` in arrival order, at least one. */
export interface EpisodePlan {
  readonly id: string;
  readonly groupId: string;
  readonly reward: number;
  readonly rows: readonly PlannedRow[];
}

/** An interaction that will never be trained, and why in words for its rater. */
export interface Exclusion {
  readonly interactionId: InteractionId;
  readonly reason: string;
}

export interface EpisodePlans {
  readonly episodes: readonly EpisodePlan[];
  readonly excluded: readonly Exclusion[];
}

/** Why the policy `drop` drops; a rating that comes later opens the row again, as long as no batch holds it. */
export const NOT_RATED = 'not rated';

const NOTHING: EpisodePlans = { episodes: [], excluded: [] };

/**
 * What of an ended session can be trained now, and which of its answers never can.
 *
 * A row is trainable iff it finished with sound evidence, undistorted, at a temperature above 0, with at least one
 * output token, and something speaks of it: a rating, or the policy `zero`. Answers that a retry replaced are left out
 * before anything is discounted.
 *
 * γ = 0: each row is an episode of its own. γ > 0, linear: the rows share one episode whose reward is the return of the
 * session's first turn. γ > 0, tree: each unbranched stretch is an episode whose reward is the return of its first
 * turn, because the trainer compares episodes, and branches that share one could not be told apart.
 *
 * Nothing comes of an open session, of one that a trainer outside waits for or took, and of one with γ > 0 while an
 * answer still runs, because that answer belongs to the same episode.
 */
export function planEpisodes(session: SessionFacts, turns: readonly TurnFacts[]): EpisodePlans {
  if (session.state === 'open' || session.isExternal) return NOTHING;
  const isOneEpisode = session.turnDiscount > 0;
  if (isOneEpisode && turns.some((turn) => turn.state === 'running')) return NOTHING;
  const isRatedOpen = (turn: TurnFacts) => turn.closed === null && turn.reward !== null;
  if (session.endReason === 'abort') {
    const excluded = turns.filter(isRatedOpen).map(({ interactionId }) => ({ interactionId, reason: ABORTED }));
    return { episodes: [], excluded };
  }
  const orphans = knownOrphans(turns);
  const chain = turns.filter((turn) => !orphans.has(turn.interactionId));
  const credits = creditTurns(session, chain);
  const rows: PlannedRow[] = [];
  const excluded: Exclusion[] = turns
    .filter((turn) => orphans.has(turn.interactionId) && isRatedOpen(turn))
    .map(({ interactionId }) => ({ interactionId, reason: REPLACED }));
  for (const turn of chain) {
    const { interactionId, reward } = turn;
    const credit = credits.get(interactionId) ?? null;
    if (turn.closed !== null) continue;
    if (credit === null) {
      if (session.unratedPolicy === 'drop' && turn.state === 'finished')
        excluded.push({ interactionId, reason: NOT_RATED });
      continue;
    }
    const reason = unfitReason(turn);
    if (reason === null) rows.push({ interactionId, reward: credit, originalReward: reward });
    else if (reward !== null) {
      const helpsEarlier = isOneEpisode && hasEarlierRow(session, chain, turn, rows);
      excluded.push({
        interactionId,
        reason: helpsEarlier ? `${reason}; the rating still counts for earlier turns` : reason,
      });
    }
  }
  return { episodes: groupRows(session, chain, rows, credits), excluded };
}

const ABORTED = 'the session was aborted: nothing of it is trained';
const REPLACED = 'a retry of the same request replaced this answer';

/** Why a row can never enter a ratio loss, in words for a rater; null when it can. */
export function unfitReason(turn: TurnFacts): string | null {
  if (turn.state !== 'finished') return 'the answer never finished';
  if (turn.untrainable !== null) return `its evidence is not sound: ${turn.untrainable}`;
  if (turn.outputTokens === 0) return 'the answer is empty';
  if (turn.distorted)
    return 'sampled with top-p, top-k, penalties or similar: its probabilities are not those of the model';
  if (turn.temperature <= 0) return 'sampled at temperature 0: there is no probability to learn from';
  return null;
}

/** Whether a rating of this turn flows back to a row that is trained. */
function hasEarlierRow(
  session: SessionFacts,
  chain: readonly TurnFacts[],
  turn: TurnFacts,
  rows: readonly PlannedRow[],
): boolean {
  if (session.discountMode === 'linear') return rows.length > 0;
  const trained = new Set(rows.map((row) => row.interactionId));
  const parents = new Map(chain.map((other) => [other.interactionId, other.parentId]));
  for (let id = turn.parentId; id !== null; id = parents.get(id) ?? null) if (trained.has(id)) return true;
  return false;
}

function groupRows(
  session: SessionFacts,
  chain: readonly TurnFacts[],
  rows: readonly PlannedRow[],
  credits: ReadonlyMap<InteractionId, number | null>,
): EpisodePlan[] {
  const { groupId } = session;
  const alone = (id: InteractionId) => `${session.sessionId}/${id}`;
  if (session.turnDiscount === 0)
    return rows.map((row) => ({ id: alone(row.interactionId), groupId, reward: row.reward, rows: [row] }));
  const root = chain[0]?.interactionId;
  const heads = session.discountMode === 'tree' ? branchHeads(chain) : null;
  const headOf = (id: InteractionId) => heads?.get(id) ?? root ?? id;
  const stretches = new Map<InteractionId, PlannedRow[]>();
  for (const row of rows) {
    const head = headOf(row.interactionId);
    const stretch = stretches.get(head);
    if (stretch === undefined) stretches.set(head, [row]);
    else stretch.push(row);
  }
  // Rated again after its earlier turns went into a batch: the later turns are another episode, whose returns hold no
  // reward that the first one already used, because credit only flows backwards.
  const late = new Set(chain.filter((turn) => turn.closed === 'batch').map((turn) => headOf(turn.interactionId)));
  return [...stretches].flatMap(([head, stretch]) => {
    const [first] = stretch;
    if (first === undefined) return [];
    const isLate = late.has(head);
    const id = isLate ? alone(first.interactionId) : head === root ? session.sessionId : alone(head);
    return [{ id, groupId, reward: isLate ? first.reward : (credits.get(head) ?? first.reward), rows: stretch }];
  });
}
