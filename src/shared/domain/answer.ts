import type { InteractionId } from './ids';
import type { FinishReason } from './interaction';
import type { VersionRun } from './version-runs';

/** A tool call found in an answer. */
export interface ToolCall {
  /** `call_` + 24 hex digits */
  readonly id: string;
  readonly name: string;
  /** JSON text of the arguments, as the model wrote it */
  readonly arguments: string;
}

/** What an answer says, taken apart by the model family's format. */
export interface AnswerMessage {
  readonly content: string;
  /** text between the think tags; null when there were none */
  readonly reasoning: string | null;
  readonly toolCalls: readonly ToolCall[];
}

/** One increment of an answer; tags of the model's format never appear in one, not even in part. */
export type AnswerDelta =
  | { readonly kind: 'content'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  /** index counts the answer's tool calls from 0; its arguments follow */
  | { readonly kind: 'tool-call'; readonly index: number; readonly id: string; readonly name: string }
  | { readonly kind: 'tool-arguments'; readonly index: number; readonly text: string };

/** One sampled token with its natural log-probability and the best alternatives, best first. */
export interface TokenLogprob {
  readonly token: string;
  readonly bytes: readonly number[];
  readonly logprob: number;
  readonly top: readonly { readonly token: string; readonly bytes: readonly number[]; readonly logprob: number }[];
}

/** How one of the n completions ended; it is on disk when this is sent. */
export interface ChoiceEnd {
  readonly kind: 'choice-end';
  readonly choice: number;
  readonly interactionId: InteractionId;
  readonly message: AnswerMessage;
  readonly finishReason: FinishReason;
  /** the stop string that ended it; not part of the text */
  readonly stopString: string | null;
  readonly completionTokens: number;
  /** of the completion tokens, those inside the think tags */
  readonly reasoningTokens: number;
  /** over all output tokens */
  readonly versionRuns: readonly VersionRun[];
}

/** What a dialect turns into its own frames, in order: deltas and ends of the choices interleaved, then one `end`. */
export type AnswerEvent =
  | {
      readonly kind: 'delta';
      readonly choice: number;
      readonly deltas: readonly AnswerDelta[];
      /** of the tokens that came since the last delta; empty unless asked for */
      readonly logprobs: readonly TokenLogprob[];
      /** over the output tokens so far */
      readonly versionRuns: readonly VersionRun[];
    }
  | ChoiceEnd
  | {
      readonly kind: 'end';
      readonly promptTokens: number;
      /** as in the head */
      readonly cachedTokens: number;
      readonly completionTokens: number;
      readonly reasoningTokens: number;
    };

/** What every body of one answer repeats. */
export interface AnswerHead {
  /** id of the completion the client receives; choice 0 has it as interaction id, choice k `<id>-<k>` */
  readonly id: InteractionId;
  readonly sessionId: string;
  /** milliseconds since the epoch */
  readonly createdAt: number;
  readonly model: string;
  readonly promptTokens: number;
  /** of the prompt tokens, those taken over from an earlier turn's rendering */
  readonly cachedTokens: number;
}
