import type { FinishReason } from '../../../shared/domain/interaction';
import type { CancelSignal } from '../../platform/cancellation';
import type { EngineCalls } from '../../platform/engine-http';
import type {
  Backend,
  BackendError,
  BackendStatus,
  GenerateEvent,
  GenerateTask,
  PublishOutcome,
  TokenDelta,
} from '../backend';

/** One thing a scripted answer does. An answer whose script ends without `end` or `error` ends with a stop token. */
export type ScriptStep =
  /** one delta per token of the text, sampled by the version served at that moment */
  | { readonly kind: 'text'; readonly text: string }
  /** a delta as it is, also a wrong one */
  | { readonly kind: 'tokens'; readonly delta: TokenDelta }
  /** an abort ends the wait */
  | { readonly kind: 'wait'; readonly until: Promise<void> }
  | { readonly kind: 'end'; readonly finishReason: FinishReason }
  | { readonly kind: 'error'; readonly error: BackendError };

/** What stands in for a model: its tokens, its limits, and what it says. */
export interface ScriptedBackendOptions {
  readonly encode: (text: string) => number[];
  readonly stopTokenId: number;
  readonly contextLength: number;
  /** default: neither */
  readonly supports?: BackendStatus['supports'];
  /** called once per request, in order */
  readonly script: (task: GenerateTask, index: number) => readonly ScriptStep[];
}

/** A backend that answers from a script: for tests, end-to-end tests and a gateway without an engine. */
export class ScriptedBackend implements Backend {
  readonly #listeners = new Set<() => void>();
  #version = 0;
  #running = 0;
  #count = 0;

  constructor(private readonly options: ScriptedBackendOptions) {}

  async *generate(task: GenerateTask, signal: CancelSignal): AsyncGenerator<GenerateEvent, void, undefined> {
    const steps = this.options.script(task, this.#count);
    this.#count += 1;
    this.#running += 1;
    try {
      yield* this.#play(task, steps, signal);
    } finally {
      this.#running -= 1;
    }
  }

  publish(weights: { readonly path: string; readonly version: number }): Promise<PublishOutcome> {
    this.#version = weights.version;
    for (const listener of [...this.#listeners]) listener();
    return Promise.resolve({ kind: 'served' });
  }

  status(): BackendStatus {
    return {
      state: 'serving',
      detail: null,
      name: 'scripted',
      servedVersion: this.#version,
      contextLength: this.options.contextLength,
      running: this.#running,
      supports: this.options.supports ?? { jsonSchema: false, topLogprobs: false },
    };
  }

  calls(): EngineCalls {
    return { open: this.#running, waiting: 0 };
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async *#play(
    task: GenerateTask,
    steps: readonly ScriptStep[],
    signal: CancelSignal,
  ): AsyncGenerator<GenerateEvent, void, undefined> {
    let left = task.maxNewTokens;
    for (const step of steps) {
      switch (step.kind) {
        case 'text':
          for (const id of this.options.encode(step.text)) {
            // As a network would: others run between two tokens.
            await Promise.resolve();
            if (signal.aborted) return yield ABORTED;
            yield { kind: 'token-delta', delta: { tokenIds: [id], logprobs: [-0.5], versions: [this.#version] } };
            left -= 1;
            if (left === 0) return yield { kind: 'end', finishReason: 'length', matched: null };
          }
          break;
        case 'tokens':
          yield { kind: 'token-delta', delta: step.delta };
          left -= step.delta.tokenIds.length;
          break;
        case 'wait':
          await Promise.race([step.until, aborted(signal)]);
          if (signal.aborted) return yield ABORTED;
          break;
        case 'end':
          return yield { kind: 'end', finishReason: step.finishReason, matched: null };
        case 'error':
          return yield { kind: 'error', error: step.error };
      }
    }
    const { stopTokenId } = this.options;
    yield { kind: 'token-delta', delta: { tokenIds: [stopTokenId], logprobs: [-0.25], versions: [this.#version] } };
    yield { kind: 'end', finishReason: 'stop', matched: stopTokenId };
  }
}

const ABORTED: GenerateEvent = { kind: 'end', finishReason: 'abort', matched: null };

function aborted(signal: CancelSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
