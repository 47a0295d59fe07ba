import type { InteractionId, SessionId } from './ids';

/** A chat message as the client sent it, null-valued keys removed. */
export interface ChatMessage {
  readonly role: string;
  readonly [key: string]: unknown;
}

/** `stop` end token or stop string · `length` budget or context used up · `abort` the client went away or pressed stop. */
export type FinishReason = 'stop' | 'length' | 'abort';

/** `interrupted`: the process died while it ran; its tokens are gone, so it can never be trained. */
export type InteractionState = 'running' | 'finished' | 'failed' | 'interrupted';

/** One request and its completion. */
export interface Interaction {
  readonly id: InteractionId;
  readonly sessionId: SessionId;
  /** arrival order within the session, from 0 */
  readonly ordinal: number;
  /** the stored interaction whose messages + output are the longest prefix of this one's messages; null for a root */
  readonly parentId: InteractionId | null;
  readonly state: InteractionState;
  readonly messages: readonly ChatMessage[];
  /** null until finished */
  readonly outputMessage: ChatMessage | null;
  readonly promptTokenIds: readonly number[];
  /** exactly what the engine sampled, end token included */
  readonly outputTokenIds: readonly number[];
  readonly outputLogprobs: readonly number[];
  readonly outputVersions: readonly number[];
  readonly finishReason: FinishReason | null;
  readonly temperature: number;
  /** sampled with top-p, top-k, penalties…: log-probs are not of the distribution sampled from, so never in a ratio loss */
  readonly distorted: boolean;
  /** milliseconds since the epoch */
  readonly createdAt: number;
  readonly finishedAt: number | null;
  readonly error: string | null;
  /** which of the n completions of its request, from 0 */
  readonly choice: number;
  /** why its evidence must not be trained on; null = sound */
  readonly untrainable: string | null;
  /** the client went away before the end of the answer was sent */
  readonly isUndelivered: boolean;
  /** the retry that was sampled instead of this one; null = none */
  readonly replacedBy: InteractionId | null;
}
