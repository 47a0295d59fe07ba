import type { GroupId, RaterId, SessionId } from './ids';

/** Who drives the session; decides its unrated policy and its admission mode. */
export type SessionSource = 'human' | 'agent' | 'import';

/** Why a session ended: its own key, the same key used again, nobody called for the timeout, an abort, the admin. */
export type SessionEndReason = 'client' | 'refresh' | 'idle' | 'abort' | 'admin';

/** What an ended session's answers become that nobody rated: they wait, are dropped, or count as 0 (AReaL's way). */
export type UnratedPolicy = 'hold' | 'drop' | 'zero';

/** Along which order a later reward flows back: arrival order (AReaL), or the branches of the conversation. */
export type DiscountMode = 'linear' | 'tree';

/** One key-scoped conversation with the policy. */
export interface Session {
  readonly id: SessionId;
  readonly taskId: string;
  readonly groupId: GroupId;
  readonly apiKey: string;
  readonly source: SessionSource;
  readonly raterId: RaterId | null;
  /** γ in [0, 1]: how much of a later turn's reward an earlier turn gets; 0 = every answer is judged alone */
  readonly turnDiscount: number;
  readonly discountMode: DiscountMode;
  readonly unratedPolicy: UnratedPolicy;
  /** `external`: a trainer outside waits for it; it never enters a batch here */
  readonly consumer: 'plaudit' | 'external';
  readonly state: 'open' | 'ended';
  readonly createdAt: number;
  readonly endedAt: number | null;
  /** null while open */
  readonly endReason: SessionEndReason | null;
  /** when a trainer outside took it; its answers are then never trained here */
  readonly takenAt: number | null;
  readonly lastAccessAt: number;
}
