import type { CancelSignal } from '../../platform/cancellation';
import type { Clock } from '../../platform/clock';
import { type EngineCalls, EngineHttp } from '../../platform/engine-http';
import type { Logger } from '../../platform/logger';
import type { RandomSource } from '../../platform/random';
import type { Backend, BackendStatus, EngineLocator, GenerateEvent, GenerateTask, PublishOutcome } from '../backend';
import { CrowdNotice } from './crowd-notice';
import { type Engine, EngineConnection } from './engine-connection';
import { type CallOutcome, generateCall } from './generate-call';
import { updateWeights } from './weight-update';

export interface SglangBackendPorts {
  readonly locator: EngineLocator;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly logger: Logger;
  /** milliseconds a call waits for an engine that is away */
  readonly engineWaitMs: number;
  /** calls open at the engine at one time; default: as {@link EngineHttp} has it */
  readonly mostCalls?: number;
}

const RETRY_PAUSE_MS = 200;

/**
 * Driver of an engine that speaks SGLang's HTTP API: SGLang itself, or the embedded engine.
 *
 * Calls may overlap; those that are more than the engine is asked at one time wait for their turn. During a weight update they wait at a gate, and those the update interrupted are
 * resubmitted as prompt + partial output, so that callers see one answer whose tokens carry several versions.
 */
export class SglangBackend implements Backend {
  readonly #http: EngineHttp;
  readonly #connection: EngineConnection;
  readonly #listeners = new Set<() => void>();
  readonly #closing = new AbortController();
  #publishing: Promise<unknown> = Promise.resolve();
  #isUpdating = false;
  #running = 0;
  #contextLength: number | null = null;

  constructor(private readonly ports: SglangBackendPorts) {
    const crowd = new CrowdNotice(ports);
    this.#http = new EngineHttp({ mostStreams: ports.mostCalls, onCalls: (calls) => crowd.note(calls) });
    this.#connection = new EngineConnection({ ...ports, http: this.#http }, () => this.#notify());
  }

  publish(weights: { readonly path: string; readonly version: number }): Promise<PublishOutcome> {
    const publishing = this.#publishing.then(() => this.#publish(weights));
    this.#publishing = publishing.catch(() => undefined);
    return publishing;
  }

  status(): BackendStatus {
    const engine = this.#connection.engine;
    return {
      state: this.#state(engine),
      detail: detailOf(engine),
      name: engine?.name ?? null,
      servedVersion: engine?.weightVersion ?? null,
      contextLength: this.#contextLength,
      running: this.#running,
      supports: engine?.supports ?? { jsonSchema: false, topLogprobs: false },
    };
  }

  calls(): EngineCalls {
    return this.#http.calls;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#connection.close();
    // An engine that is left paused would answer nobody after us.
    await this.#publishing;
    this.#http.close();
  }

  async *generate(task: GenerateTask, signal: CancelSignal): AsyncGenerator<GenerateEvent, void, undefined> {
    this.#running += 1;
    try {
      const received: number[] = [];
      let lastTrouble: string | null = null;
      let waitingSince = this.ports.clock.now();
      for (;;) {
        const engine = await this.#waitForEngine(waitingSince, signal);
        if (signal.aborted) return yield ABORTED;
        if (engine === null) return yield this.#unavailable(lastTrouble);

        const before = received.length;
        const askedAt = this.ports.clock.now();
        const call = generateCall({ ...this.ports, http: this.#http }, engine, { task, received }, signal);
        let step = await call.next();
        try {
          for (; step.done !== true; step = await call.next()) {
            for (const id of step.value.tokenIds) received.push(id);
            yield { kind: 'token-delta', delta: step.value };
          }
        } finally {
          // Reached without an outcome when the caller stopped listening.
          if (step.done !== true) await call.return({ kind: 'interrupted' });
        }
        const outcome = step.value;
        if (outcome.kind === 'lost') this.#connection.reportLoss(engine);
        const final = toFinalEvent(outcome, received.length >= task.maxNewTokens, signal.aborted);
        if (final !== null) return yield final;
        // A grammar starts anew with every call, so the rest of a half answer would not continue it.
        if (task.jsonSchema !== null && received.length > 0) return yield CUT_SCHEMA;

        // Only time without an answer under way counts: a long silent prefill is no absence.
        const now = this.ports.clock.now();
        waitingSince = received.length > before ? now : waitingSince + (now - askedAt);
        if (outcome.kind !== 'interrupted') lastTrouble = 'message' in outcome ? outcome.message : lastTrouble;
        // So that an engine which fails at once is not asked in a tight loop.
        if (received.length === before) await this.ports.clock.sleep(RETRY_PAUSE_MS, signal);
      }
    } finally {
      this.#running -= 1;
    }
  }

  /** null after the deadline. Time spent at the gate of an update does not count: the update has its own limits. */
  async #waitForEngine(since: number, signal: CancelSignal): Promise<Engine | null> {
    let waitingSince = since;
    for (;;) {
      if (signal.aborted) return null;
      const { engine } = this.#connection;
      if (this.#isUpdating) waitingSince = this.ports.clock.now();
      const leftMs = waitingSince + this.ports.engineWaitMs - this.ports.clock.now();
      if (leftMs <= 0 && !this.#isUpdating) return null;
      if (engine !== null && !this.#isUpdating) return engine;
      await this.#nextChange(Math.max(leftMs, RETRY_PAUSE_MS), signal);
    }
  }

  async #nextChange(atMostMs: number, signal: CancelSignal): Promise<void> {
    const changed = new AbortController();
    const wake = (): void => changed.abort();
    const unsubscribe = this.subscribe(wake);
    signal.addEventListener('abort', wake, { once: true });
    await this.ports.clock.sleep(atMostMs, changed.signal);
    signal.removeEventListener('abort', wake);
    unsubscribe();
  }

  async #publish(weights: { readonly path: string; readonly version: number }): Promise<PublishOutcome> {
    const { engine } = this.#connection;
    if (engine === null) return { kind: 'unavailable', message: 'No inference engine is running.' };
    this.#setUpdating(true);
    try {
      const outcome = await updateWeights({ ...this.ports, http: this.#http }, engine, weights);
      const isThere = await this.#connection.refresh();
      // Connecting again also continues an engine that a failed update left paused.
      if (!isThere || outcome.kind !== 'served') this.#connection.reconnect();
      if (outcome.kind !== 'served') return outcome;
      const served = this.#connection.engine?.weightLabel ?? null;
      if (served === String(weights.version)) return outcome;
      return { kind: 'refused', message: `The engine still serves version ${served ?? '?'}, not ${weights.version}.` };
    } finally {
      this.#setUpdating(false);
    }
  }

  #setUpdating(isUpdating: boolean): void {
    this.#isUpdating = isUpdating;
    this.#notify();
  }

  #state(engine: Engine | null): BackendStatus['state'] {
    if (this.#isUpdating) return 'updating';
    if (engine === null) return 'waiting';
    return engine.weightVersion === null ? 'failed' : 'serving';
  }

  #unavailable(lastTrouble: string | null): GenerateEvent {
    const seconds = Math.round(this.ports.engineWaitMs / 1000);
    const trouble = lastTrouble === null ? '' : ` Last trouble: ${lastTrouble}.`;
    const message = `No inference engine answered within ${seconds} s.${trouble} See the Training screen for its log, then try again.`;
    return { kind: 'error', error: { kind: 'engine-unavailable', message } };
  }

  #notify(): void {
    // Kept over a restart, so that a prompt's room does not jump while the engine is away.
    this.#contextLength = this.#connection?.engine?.contextLength ?? this.#contextLength;
    for (const listener of [...this.#listeners]) listener();
  }
}

const ABORTED: GenerateEvent = { kind: 'end', finishReason: 'abort', matched: null };

const CUT_SCHEMA: GenerateEvent = {
  kind: 'error',
  error: {
    kind: 'engine-unavailable',
    message: 'The engine was interrupted in the middle of an answer that has to match a schema. Ask again.',
  },
};

/** null = resubmit with what was received */
function toFinalEvent(outcome: CallOutcome, isBudgetUsed: boolean, isAborted: boolean): GenerateEvent | null {
  if (outcome.kind === 'finished') return { kind: 'end', finishReason: outcome.finishReason, matched: outcome.matched };
  if (outcome.kind === 'bad-evidence')
    return { kind: 'error', error: { kind: 'bad-evidence', message: outcome.message } };
  if (isBudgetUsed) return { kind: 'end', finishReason: 'length', matched: null };
  if (isAborted) return ABORTED;
  const isRefused = outcome.kind === 'refused' && outcome.status < 500 && outcome.status !== 429;
  return isRefused
    ? { kind: 'error', error: { kind: 'engine-refused', message: `The engine refused: ${outcome.message}` } }
    : null;
}

function detailOf(engine: Engine | null): string | null {
  if (engine === null) return 'waiting for an inference engine';
  if (engine.weightVersion !== null) return null;
  return `The engine says its weight version is '${engine.weightLabel ?? 'none'}'. Start it with --weight-version and a number.`;
}
