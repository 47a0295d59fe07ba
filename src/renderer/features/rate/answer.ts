import type { VersionRun } from '../../../shared/domain/version-runs';
import type { ChatMessage, ToolCall } from '../../data/chat-stream';
import type { GatewayProblem } from '../../data/gateway-problem';

export type RatingState = 'unrated' | 'waiting' | 'in-batch' | 'trained' | 'dropped';

/** A stretch of text that one version sampled. */
export interface VersionedText {
  readonly version: number;
  readonly text: string;
}

export type AnswerPhase =
  /** a session is being opened for it */
  | 'starting'
  /** the engine or the gateway is away; it is sent when they are back */
  | 'waiting'
  | 'streaming'
  /** stopped by a person; what there is of it is being found out */
  | 'stopping'
  | 'finished'
  | 'failed'
  | 'interrupted';

/** One answer as the chat shows it, whether it is still running here or read back from the gateway. */
export interface Answer {
  /** stable on screen: the local id of an answer asked in this window, else the interaction id */
  readonly key: string;
  readonly sessionId: string | null;
  readonly interactionId: string | null;
  readonly phase: AnswerPhase;
  readonly text: string;
  /** what the model thought before it answered; null when it did not say */
  readonly reasoning: string | null;
  readonly toolCalls: readonly ToolCall[];
  readonly runs: readonly VersionRun[];
  /** the text cut by version where this window saw it stream; null when only the runs are known */
  readonly pieces: readonly VersionedText[] | null;
  readonly finishReason: string | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly problem: GatewayProblem | null;
  readonly reward: number | null;
  readonly ratingState: RatingState;
  readonly batchId: number | null;
  readonly trainedVersion: number | null;
  readonly reason: string | null;
  /** why its evidence must not be trained on; null = sound */
  readonly untrainable: string | null;
  /** a client that never got its end asked again, and that answer counts */
  readonly isReplaced: boolean;
}

/**
 * What is out of the ordinary about a session: `aborted` nothing of it is trained · `idle` it ended by itself ·
 * `external` a trainer outside waits for it · `taken` that trainer has it.
 */
export type SessionFate = 'aborted' | 'idle' | 'external' | 'taken';

/** A message and everything answered to it. */
export interface Turn {
  readonly key: string;
  readonly messages: readonly ChatMessage[];
  readonly prompt: string;
  readonly answers: readonly Answer[];
}

/** What the chat draws as one piece: a session's turns, or one message answered side by side. */
export type Block =
  | {
      readonly kind: 'chat';
      readonly key: string;
      readonly sessionId: string | null;
      readonly ended: boolean;
      readonly fate: SessionFate | null;
      readonly turns: readonly Turn[];
    }
  | {
      readonly kind: 'side-by-side';
      readonly key: string;
      readonly groupId: string;
      readonly ended: boolean;
      readonly fate: SessionFate | null;
      readonly turn: Turn;
    };

/** Nothing has come of it: no word, no thought, no call. */
export const isSilent = ({ text, reasoning, toolCalls }: Answer): boolean =>
  text === '' && reasoning === null && toolCalls.length === 0;

/** A rating can be given or changed: it is finished, and no batch holds it. */
export const isRatable = (answer: Answer): boolean =>
  answer.phase === 'finished' &&
  answer.interactionId !== null &&
  (answer.ratingState === 'unrated' || answer.ratingState === 'waiting');

export const isRunning = ({ phase }: Pick<Answer, 'phase'>): boolean =>
  phase === 'starting' || phase === 'waiting' || phase === 'streaming' || phase === 'stopping';

/** What the gateway's record says of an answer that was stopped too early to be one. */
const NOTHING_SAMPLED = 'The answer was stopped before its first token; there is nothing to rate.';

/** Nothing of it exists: it was stopped before its first token. */
export const isUnspoken = (answer: Answer): boolean =>
  isSilent(answer) && answer.completionTokens === 0 && answer.reward === null && wasStopped(answer);

function wasStopped({ phase, finishReason, problem, key, interactionId }: Answer): boolean {
  if (phase === 'finished') return finishReason === 'abort';
  // One that is live here failed before its reader's eyes, and says so.
  return phase === 'failed' && key === interactionId && problem?.message === NOTHING_SAMPLED;
}

export const answersOf = (block: Block): readonly Answer[] =>
  block.kind === 'chat' ? block.turns.flatMap(({ answers }) => answers) : block.turn.answers;
