import type { GroupId, InteractionId, RaterId, SessionId } from './ids';
import type { FinishReason } from './interaction';
import type { SessionSource } from './session';
import type { TokenRecord } from './token-record';

/** One training row: what the trainer consumes of one interaction (`individual`) or one leaf (`concat`). */
export interface Trajectory {
  readonly interactionId: InteractionId;
  readonly sessionId: SessionId;
  readonly taskId: string;
  readonly groupId: GroupId;
  readonly source: SessionSource;
  readonly raterId: RaterId | null;
  readonly turn: number;
  readonly tokens: TokenRecord;
  readonly finishReason: FinishReason;
  readonly temperature: number;
  readonly distorted: boolean;
  /** return after turn discount */
  readonly reward: number;
  /** the raw value a rater or script set; null when only later turns were rated */
  readonly originalReward: number | null;
  readonly createdAt: number;
}

/**
 * What counts as one episode for the baseline statistics.
 *
 * With γ > 0 it is the whole session (reward = return of its first turn), or with the tree discount each unbranched
 * stretch of it; with γ = 0 every rated answer is an episode of its own, because each rating then says something about
 * that answer alone.
 */
export interface Episode {
  /** session id, or `<session id>/<interaction id>` when γ = 0 or for a later stretch */
  readonly id: string;
  readonly groupId: GroupId;
  readonly reward: number;
  readonly rows: readonly Trajectory[];
}
