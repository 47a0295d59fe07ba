import type { GroupId, RaterId, SessionId } from './ids';

/** Who drives the session; decides its unrated policy and its admission mode. */
export type SessionSource = 'human' | 'agent' | 'import';

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
  readonly state: 'open' | 'ended';
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly lastAccessAt: number;
}
