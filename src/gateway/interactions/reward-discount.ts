import type { InteractionId } from '../../shared/domain/ids';
import type { SessionFacts, TurnFacts } from '../../shared/domain/turn-facts';

/** One row of a planned episode. */
export interface PlannedRow {
  readonly interactionId: InteractionId;
  /** return after turn discount */
  readonly reward: number;
  /** the raw value; null when only later turns were rated */
  readonly originalReward: number | null;
}

/** An episode before its tokens are read; `rows` in arrival order, at least one. */
export interface EpisodePlan {
  readonly id: string;
  readonly groupId: string;
  readonly reward: number;
  readonly rows: readonly PlannedRow[];
}

/** A rated interaction that can never be trained, and why in words for its rater. */
export interface Exclusion {
  readonly interactionId: InteractionId;
  readonly reason: string;
}

export interface EpisodePlans {
  readonly episodes: readonly EpisodePlan[];
  readonly excluded: readonly Exclusion[];
}

/**
 * Returns after turn discount: R_n = r_n, R_k = r_k + γ · R_{k+1}, over arrival order; an unset reward adds nothing.
 *
 * @param rewards - one per interaction of the session, in arrival order; null = not rated
 * @param turnDiscount - γ in [0, 1]
 * @returns same length; all finite when the rewards are
 * @remarks AReaL's `apply_reward_discount`, which is linear too: it follows arrival order, not the conversation tree.
 */
export function discountRewards(rewards: readonly (number | null)[], turnDiscount: number): number[] {
  const returns = new Array<number>(rewards.length);
  let next = 0;
  for (let k = rewards.length - 1; k >= 0; k -= 1) {
    next = (rewards[k] ?? 0) + turnDiscount * next;
    returns[k] = next;
  }
  return returns;
}

/**
 * Like {@link discountRewards}, but null where no rating says anything: no own reward and, with γ > 0, no later one.
 *
 * AReaL reads a missing reward as 0; silence is not a verdict, so here it stays null and is never trained.
 */
export function creditRewards(rewards: readonly (number | null)[], turnDiscount: number): (number | null)[] {
  if (turnDiscount === 0) return [...rewards];
  const returns = discountRewards(rewards, turnDiscount);
  const lastRated = rewards.reduce<number>((last, reward, k) => (reward === null ? last : k), -1);
  return returns.map((value, k) => (k <= lastRated ? value : null));
}

/**
 * What of an ended session can be trained now, and which of its ratings never can.
 *
 * A row is trainable iff it finished undistorted at a temperature above 0 with at least one output token, and a rating
 * speaks of it. γ = 0: each such row is an episode of its own. γ > 0: the rows share one episode whose reward is the
 * return of the session's first turn. An open session yields nothing, and neither does one with γ > 0 while an answer
 * still runs, because that answer belongs to the same episode.
 */
export function planEpisodes(session: SessionFacts, turns: readonly TurnFacts[]): EpisodePlans {
  if (session.state === 'open') return { episodes: [], excluded: [] };
  const isOneEpisode = session.turnDiscount > 0;
  if (isOneEpisode && turns.some((turn) => turn.state === 'running')) return { episodes: [], excluded: [] };
  const credits = creditRewards(
    turns.map((turn) => turn.reward),
    session.turnDiscount,
  );
  const rows: PlannedRow[] = [];
  const excluded: Exclusion[] = [];
  turns.forEach((turn, k) => {
    const credit = credits[k] ?? null;
    if (turn.closed !== null || credit === null) return;
    const reason = unfitReason(turn);
    if (reason === null) {
      rows.push({ interactionId: turn.interactionId, reward: credit, originalReward: turn.reward });
    } else if (turn.reward !== null) {
      const helpsEarlier = isOneEpisode && rows.length > 0;
      const reasonForRater = helpsEarlier ? `${reason}; the rating still counts for earlier turns` : reason;
      excluded.push({ interactionId: turn.interactionId, reason: reasonForRater });
    }
  });
  return { episodes: groupRows(session, turns, rows, credits), excluded };
}

/** Why a row can never enter a ratio loss, in words for a rater; null when it can. */
export function unfitReason(turn: TurnFacts): string | null {
  if (turn.state !== 'finished') return 'the answer never finished';
  if (turn.outputTokens === 0) return 'the answer is empty';
  if (turn.distorted)
    return 'sampled with top-p, top-k, penalties or similar: its probabilities are not those of the model';
  if (turn.temperature <= 0) return 'sampled at temperature 0: there is no probability to learn from';
  return null;
}

function groupRows(
  session: SessionFacts,
  turns: readonly TurnFacts[],
  rows: readonly PlannedRow[],
  credits: readonly (number | null)[],
): EpisodePlan[] {
  const alone = (row: PlannedRow) => `${session.sessionId}/${row.interactionId}`;
  if (session.turnDiscount === 0) {
    return rows.map((row) => ({ id: alone(row), groupId: session.groupId, reward: row.reward, rows: [row] }));
  }
  const [first] = rows;
  if (first === undefined) return [];
  // Rated again after its earlier turns went into a batch: the later turns are a second episode, whose returns hold
  // no reward that the first one already used, because credit only flows backwards.
  const isLate = turns.some((turn) => turn.closed === 'batch');
  const reward = isLate ? first.reward : (credits[0] ?? first.reward);
  return [{ id: isLate ? alone(first) : session.sessionId, groupId: session.groupId, reward, rows }];
}
