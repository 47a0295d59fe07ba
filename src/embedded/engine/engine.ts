import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { Decoder } from '../model/decoder';
import type { BatchShapes } from './batch-shapes';
import { type GenerateRequest, type RequestLimits, readGenerateRequest } from './generate-request';
import type { ModelFolder } from './model-folder';
import { Mutex } from './mutex';
import { invalidValue, unavailable } from './request-error';
import { Scheduler } from './scheduler';
import { Sequence, type SequenceListener } from './sequence';
import { TextOutput } from './text-output';
import { ThroughputMeter } from './throughput-meter';
import { loadShadow } from './weight-update';

export interface EngineOptions {
  readonly folder: ModelFolder;
  readonly decoder: Decoder;
  readonly shapes: BatchShapes;
  readonly contextLength: number;
  readonly maxQueued: number;
  readonly serverSeed: number;
  readonly weightVersion: string;
  readonly nowMs: () => number;
  readonly onFatal: (cause: unknown) => void;
}

export type PauseMode = 'abort' | 'in_place' | 'retract';

export interface UpdateRequest {
  readonly path: string;
  readonly version: string | null;
  readonly flush: boolean;
  readonly abortAll: boolean;
}

export interface Outcome {
  readonly ok: boolean;
  readonly message: string;
}

/** Counters since start, for `/metrics`. */
export interface EngineTotals {
  requests: number;
  aborted: number;
  promptTokens: number;
  reusedTokens: number;
}

/** The engine without HTTP: accepts calls, and does what the control routes ask. */
export class Engine {
  readonly options: EngineOptions;
  readonly scheduler: Scheduler;
  readonly totals: EngineTotals = { requests: 0, aborted: 0, promptTokens: 0, reusedTokens: 0 };
  readonly #meter = new ThroughputMeter();
  readonly #updates = new Mutex();
  readonly #live = new Set<string>();
  readonly #limits: RequestLimits;
  #modelPath: string;
  #version: string;
  #pausedBy: PauseMode | null = null;
  #isFlushing = false;
  #isStopping = false;

  constructor(options: EngineOptions) {
    this.options = options;
    this.#version = options.weightVersion;
    this.#modelPath = options.folder.path;
    const { decoder, shapes, onFatal } = options;
    this.scheduler = new Scheduler({ decoder, shapes, version: () => this.#version, onFatal });
    this.#limits = {
      contextLength: options.contextLength,
      vocabSize: decoder.config.vocabSize,
      eosIds: options.folder.eosIds,
      serverSeed: options.serverSeed,
      newRequestId: () => randomUUID().replaceAll('-', ''),
      encode: (text) => options.folder.tokenizer.encode(text),
    };
  }

  get version(): string {
    return this.#version;
  }

  get modelPath(): string {
    return this.#modelPath;
  }

  get isPaused(): boolean {
    return this.#pausedBy !== null;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** tokens per second lately */
  throughput(): number {
    return this.#meter.rate(this.options.nowMs(), this.scheduler.sampledTokens);
  }

  decode(ids: readonly number[], skipSpecialTokens: boolean): string {
    return this.options.folder.tokenizer.decode(ids, skipSpecialTokens);
  }

  read(body: unknown): GenerateRequest {
    return readGenerateRequest(body, this.#limits);
  }

  /** Queues a call; the listener hears of it until the end. Throws RequestError when it cannot be taken. */
  submit(request: GenerateRequest, listenerOf: (sequence: Sequence) => SequenceListener): Sequence {
    const { rid, promptIds, maxNewTokens } = request.call;
    if (this.#isStopping) throw unavailable('the engine is stopping');
    if (this.#live.has(rid)) throw invalidValue(`rid ${rid} is already in use`);
    if (this.scheduler.waiting.length >= this.options.maxQueued) throw unavailable('too many waiting requests');
    const sequence = new Sequence(request.call, this.#textOutput(request), this.options.nowMs());
    const outer = listenerOf(sequence);
    this.#live.add(rid);
    this.totals.requests++;
    this.totals.promptTokens += promptIds.length;
    sequence.listener = {
      onToken: () => {
        this.#meter.mark(this.options.nowMs(), this.scheduler.sampledTokens);
        outer.onToken();
      },
      onEnd: () => {
        this.#live.delete(rid);
        this.#meter.mark(this.options.nowMs(), this.scheduler.sampledTokens);
        this.totals.reusedTokens += sequence.reused;
        if (sequence.finish?.type === 'abort') this.totals.aborted++;
        outer.onEnd();
      },
    };
    if (maxNewTokens === 0) {
      sequence.finish = { type: 'length', length: 0 };
      sequence.listener.onEnd();
    } else this.scheduler.submit(sequence);
    return sequence;
  }

  abort(rid: string): Promise<number> {
    return this.scheduler.abort((sequence) => sequence.call.rid === rid);
  }

  abortAll(): Promise<number> {
    return this.scheduler.abort(() => true);
  }

  /** Ends one call whose reader has gone; a later call under the same id is another one and stays. */
  drop(sequence: Sequence): void {
    void this.scheduler.abort((other) => other === sequence);
  }

  /**
   * Resolves when nothing is being computed any more. `abort` answers all calls inside and holds later ones; `in_place` freezes
   * them with their cache; `retract` freezes them without. A further pause can only take away more.
   */
  async pause(mode: PauseMode): Promise<void> {
    const before = this.#pausedBy;
    const inside = new Set([...this.scheduler.running, ...this.scheduler.waiting]);
    this.#pausedBy = before === 'abort' || (before === 'retract' && mode === 'in_place') ? before : mode;
    await this.scheduler.freeze();
    if (mode === 'retract') await this.scheduler.retract();
    // calls that wait at the gate of an earlier abort pause have not begun: they are not "in flight"
    if (mode === 'abort' && before !== 'abort') await this.scheduler.abort((sequence) => inside.has(sequence));
  }

  resume(): void {
    this.#pausedBy = null;
    this.scheduler.thaw();
  }

  /** Requests whose cache would be lost by a flush, or who are about to have one. */
  get pending(): number {
    const { running, waiting, isFrozen } = this.scheduler;
    return running.length + (isFrozen ? 0 : waiting.length);
  }

  /** Empties the prompt cache; waits up to the timeout for running requests to end. */
  async flush(timeoutMs: number, wait: (ms: number) => Promise<void>): Promise<Outcome> {
    if (this.#isFlushing) return { ok: false, message: 'not flushed: another flush is waiting' };
    this.#isFlushing = true;
    try {
      const deadlineMs = this.options.nowMs() + timeoutMs;
      while (this.pending > 0 && this.options.nowMs() < deadlineMs) await wait(10);
      if (this.pending > 0) return { ok: false, message: `not flushed: ${this.pending} requests inside` };
      await this.scheduler.atRest(() => this.scheduler.clearPromptCache());
      return { ok: true, message: 'flushed' };
    } finally {
      this.#isFlushing = false;
    }
  }

  /** Swaps weights between two steps. Anything wrong with the new ones leaves the old ones serving. */
  updateWeights(request: UpdateRequest): Promise<Outcome> {
    return this.#updates.run(async () => {
      if (request.abortAll) await this.abortAll();
      if (!request.flush) return this.#loadAndSwap(request);
      if (this.pending > 0)
        return this.#refuse(request, `${this.pending} requests are pending and flush_cache is true`);
      return this.scheduler.holdingBack(() => this.#loadAndSwap(request));
    });
  }

  setVersion(version: string): Promise<void> {
    return this.scheduler.atRest(() => {
      this.#version = version;
    });
  }

  /** Refuses new calls and answers all others with what they have. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.scheduler.freeze();
    await this.abortAll();
  }

  async #loadAndSwap(request: UpdateRequest): Promise<Outcome> {
    const { decoder } = this.options;
    const shadow = await loadShadow(request.path, decoder.config);
    if (!shadow.ok) return this.#refuse(request, shadow.message);
    return this.scheduler.atRest(async () => {
      if (!(await decoder.isUsable(shadow.params))) return this.#refuse(request, 'its logits are not finite');
      decoder.swap(shadow.params);
      this.scheduler.clearPromptCache();
      this.#modelPath = resolve(request.path);
      if (request.version !== null) this.#version = request.version;
      return { ok: true, message: `weights loaded from ${request.path}, version is ${this.#version}` };
    });
  }

  #refuse(request: UpdateRequest, reason: string): Outcome {
    return { ok: false, message: `could not load ${request.path}: ${reason}, previous weights kept` };
  }

  #textOutput(request: GenerateRequest): TextOutput {
    return new TextOutput({
      stopStrings: request.stopStrings,
      noStopTrim: request.noStopTrim,
      decode: (ids) => this.decode(ids, request.skipSpecialTokens),
      decodeAll: (ids) => this.decode(ids, false),
    });
  }
}
