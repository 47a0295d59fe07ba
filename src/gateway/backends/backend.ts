import type { FinishReason } from '../../shared/domain/interaction';
import type { CancelSignal } from '../platform/cancellation';
import type { EngineCalls } from '../platform/engine-http';

/** What every inference engine is asked: token ids in, sampled ids with evidence out. */
export interface GenerateTask {
  readonly promptTokenIds: readonly number[];
  readonly maxNewTokens: number;
  readonly temperature: number;
  readonly topP: number;
  /** null = off */
  readonly topK: number | null;
  readonly frequencyPenalty: number;
  readonly presencePenalty: number;
  readonly stopStrings: readonly string[];
  readonly stopTokenIds: readonly number[];
  readonly seed: number | null;
  /** alternatives to report per token; null = none */
  readonly topLogprobs: number | null;
  /** JSON Schema text the answer must match; null = free. Only for backends whose `supports.jsonSchema` is true. */
  readonly jsonSchema: string | null;
}

/** Newly sampled tokens: three arrays of one length ≥ 1, in order. */
export interface TokenDelta {
  readonly tokenIds: readonly number[];
  readonly logprobs: readonly number[];
  readonly versions: readonly number[];
  /** per token, best first; only when asked for and supported */
  readonly topLogprobs?: readonly (readonly { readonly tokenId: number; readonly logprob: number }[])[];
}

/** Why generation could not be completed; tokens delivered before it are kept by the caller. */
export type BackendError =
  | { readonly kind: 'engine-unavailable'; readonly message: string }
  | { readonly kind: 'engine-refused'; readonly message: string }
  | { readonly kind: 'bad-evidence'; readonly message: string };

/** What a call of `generate` tells, in order: deltas, then exactly one `end` or `error`. */
export type GenerateEvent =
  | { readonly kind: 'token-delta'; readonly delta: TokenDelta }
  | { readonly kind: 'end'; readonly finishReason: FinishReason; readonly matched: number | string | null }
  | { readonly kind: 'error'; readonly error: BackendError };

/**
 * An inference engine behind one interface.
 *
 * `generate` survives weight updates and engine restarts: an interrupted call is resubmitted as prompt + partial output
 * with the remaining budget, so one answer may carry several versions. It ends with exactly one `end` or `error` event.
 * Aborting the signal ends it with `end: abort`; tokens delivered so far stay valid.
 */
export interface Backend {
  generate(task: GenerateTask, signal: CancelSignal): AsyncIterable<GenerateEvent>;
  /**
   * Pause → flush → update → verify → continue. Calls in flight are resubmitted by `generate` itself.
   * On refusal the previous weights still answer.
   */
  publish(weights: { readonly path: string; readonly version: number }): Promise<PublishOutcome>;
  status(): BackendStatus;
  /** What the engine is busy with, seen from here. */
  calls(): EngineCalls;
  /** Called on every status change; returns the unsubscriber. */
  subscribe(listener: () => void): () => void;
  close(): Promise<void>;
}

/** Whether the engine answers with the new weights; otherwise with those it had. */
export type PublishOutcome =
  | { readonly kind: 'served' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unavailable'; readonly message: string };

/** The engine as it stands, for the status line and for what a call may ask of it. */
export interface BackendStatus {
  readonly state: 'waiting' | 'serving' | 'updating' | 'failed';
  readonly detail: string | null;
  readonly name: string | null;
  /** verified by asking the engine, never assumed */
  readonly servedVersion: number | null;
  readonly contextLength: number | null;
  /** calls of `generate` that have not ended, also while there is no engine */
  readonly running: number;
  readonly supports: { readonly jsonSchema: boolean; readonly topLogprobs: boolean };
}

/** Where the engine is now; the supervisor moves it when the engine restarts on another port. */
export interface EngineLocator {
  /** null while there is no ready engine */
  current(): { readonly url: string; readonly apiKey: string | null } | null;
  subscribe(listener: () => void): () => void;
}
