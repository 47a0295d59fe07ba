import type { Decoder, HostRows } from '../model/decoder';
import { KvCache } from '../model/kv-cache';
import { type BatchShapes, fitSize, isWithinBudget, rowSizes } from './batch-shapes';
import { Mutex } from './mutex';
import { nextTurn } from './next-turn';
import { PromptCache } from './prompt-cache';
import type { Sequence } from './sequence';
import { ABORTED, type FinishReason, findStop, NUMERIC_FAILURE } from './stop-conditions';
import { drawNext, promptEvidence } from './token-evidence';

/** Prefills per decode step: enough to fill a batch fast, few enough that running answers keep moving. */
const PREFILLS_PER_STEP = 8;
/** Share of the token budget that known prompts may take beside the batch. */
const PROMPT_SHARE = 0.25;

export interface SchedulerOptions {
  readonly decoder: Decoder;
  readonly shapes: BatchShapes;
  /** label of the weights that sample now, read at every token */
  readonly version: () => string;
  readonly onFatal: (cause: unknown) => void;
}

interface Prefilled {
  readonly rows: HostRows;
  readonly lastLogits: Float32Array;
  readonly origin: 'prefilled' | 'known';
}

/**
 * Continuous batching: sequences join and leave the batch between steps. Everything that touches rows, cache or weights runs
 * inside one mutex, a step included; so whoever holds it sees an engine at rest.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #cache: KvCache;
  readonly #prompts: PromptCache;
  readonly #mutex = new Mutex();
  #rows: (Sequence | null)[] = [];
  #waiting: Sequence[] = [];
  #isFrozen = false;
  #isHoldingBack = false;
  #isLooping = false;
  #arrivals = 0;
  #tokens = 0;
  #retractions = 0;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#cache = new KvCache(options.decoder.config);
    this.#prompts = new PromptCache(options.shapes.maxTokens * PROMPT_SHARE);
  }

  get running(): readonly Sequence[] {
    return this.#rows.filter((sequence) => sequence !== null);
  }

  get waiting(): readonly Sequence[] {
    return this.#waiting;
  }

  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  /** tokens sampled since start */
  get sampledTokens(): number {
    return this.#tokens;
  }

  get retractions(): number {
    return this.#retractions;
  }

  get cacheBytes(): number {
    return this.#cache.sizeBytes;
  }

  submit(sequence: Sequence): void {
    sequence.arrival = this.#arrivals++;
    this.#waiting.push(sequence);
    this.#wake();
  }

  /** Ends every matching sequence with what it has; resolves when none of them will get another token. */
  abort(isMatch: (sequence: Sequence) => boolean): Promise<number> {
    return this.#mutex.run(() => {
      const matched = [...this.running, ...this.#waiting].filter(isMatch);
      for (const sequence of matched) {
        sequence.tailText = sequence.text.end(null, ABORTED);
        this.#end(sequence, ABORTED);
      }
      return matched.length;
    });
  }

  /** Stops stepping; resolves when no step is under way. Rows keep their cache. */
  freeze(): Promise<void> {
    this.#isFrozen = true;
    return this.#mutex.run(() => undefined);
  }

  thaw(): void {
    this.#isFrozen = false;
    this.#wake();
  }

  /** Moves running sequences back to the head of the queue without their cache; they are prefilled anew on the next admission. */
  retract(): Promise<void> {
    return this.#mutex.run(() => {
      while (this.running.length > 0) this.#retractYoungest();
    });
  }

  /** Runs a task with the engine at rest between two steps. */
  atRest<T>(task: () => Promise<T> | T): Promise<T> {
    return this.#mutex.run(task);
  }

  /** Admits nobody from the queue while the task runs; running sequences go on. */
  async holdingBack<T>(task: () => Promise<T>): Promise<T> {
    this.#isHoldingBack = true;
    try {
      return await task();
    } finally {
      this.#isHoldingBack = false;
      this.#wake();
    }
  }

  clearPromptCache(): void {
    this.#prompts.clear();
  }

  #wake(): void {
    if (this.#isLooping) return;
    this.#isLooping = true;
    void this.#loop();
  }

  async #loop(): Promise<void> {
    try {
      while (this.#hasWork()) {
        await this.#mutex.run(() => this.#turn());
        // sockets are served between steps
        await nextTurn();
      }
    } catch (cause) {
      this.#options.onFatal(cause);
    } finally {
      this.#isLooping = false;
    }
  }

  #hasWork(): boolean {
    if (this.#isFrozen) return false;
    return this.running.length > 0 || (this.#waiting.length > 0 && !this.#isHoldingBack);
  }

  async #turn(): Promise<void> {
    // prompts that are known already cost nothing to speak of
    for (let prefills = 0; prefills < PREFILLS_PER_STEP && this.#mayAdmit(); ) {
      const sequence = this.#waiting.shift();
      if (sequence !== undefined && (await this.#admit(sequence)) === 'prefilled') prefills++;
    }
    if (!this.#isFrozen && this.running.length > 0) await this.#step();
  }

  #mayAdmit(): boolean {
    if (this.#isFrozen || this.#isHoldingBack || this.#waiting.length === 0) return false;
    const next = this.#waiting[0];
    return next !== undefined && this.#hasRoom(this.running.length + 1, next.length + 1);
  }

  /** Whether `count` rows fit, the longest of them as long as a running one or `positions`. */
  #hasRoom(count: number, positions: number): boolean {
    return isWithinBudget(this.#options.shapes, count, this.#longest(positions));
  }

  /** Positions a batch needs per row: what is cached and one more, at most what the model has. */
  #longest(positions = 1): number {
    const needed = Math.max(positions, ...this.running.map((sequence) => sequence.cached + 1));
    return Math.min(needed, this.#options.decoder.config.maxPositions);
  }

  /** Who came last gives way, so that the oldest always gets to its end. Sampled tokens stay as they are. */
  #retractYoungest(): void {
    const youngest = this.running.reduce((a, b) => (a.arrival > b.arrival ? a : b));
    if (youngest.row !== null) this.#rows[youngest.row] = null;
    youngest.row = null;
    youngest.cached = 0;
    youngest.retractions++;
    this.#retractions++;
    // all who wait came later: admission is first come, first served
    this.#waiting.unshift(youngest);
  }

  /** Gives the sequence a row, fills the row's cache, and draws its next token from the prefill itself. */
  async #admit(sequence: Sequence): Promise<'prefilled' | 'known'> {
    const ids = sequence.allIds();
    const row = this.#takeRow(sequence, ids.length + 1);
    const { rows, lastLogits, origin } = await this.#prefill(sequence, ids);
    this.#cache.write(row, 0, rows, 0, ids.length);
    sequence.cached = ids.length;
    this.#extend(sequence, lastLogits);
    return origin;
  }

  async #prefill(sequence: Sequence, ids: readonly number[]): Promise<Prefilled> {
    const { decoder, shapes } = this.#options;
    const { vocabSize } = decoder.config;
    const isFirst = sequence.output.length === 0;
    const wantsPrompt = isFirst && sequence.promptEvidence.length === 0 && sequence.call.promptLogprobsFrom !== null;
    const known = wantsPrompt ? null : this.#prompts.find(ids);
    if (known !== null) {
      if (isFirst) sequence.reused = ids.length;
      return { ...known, origin: 'known' };
    }
    const rows = await decoder.prefill(ids, fitSize(shapes.prefills, ids.length));
    const lastLogits = rows.logits.slice((ids.length - 1) * vocabSize, ids.length * vocabSize);
    if (wantsPrompt) sequence.promptEvidence.push(...promptEvidence(sequence, rows.logits, vocabSize));
    if (isFirst) this.#prompts.add(ids, { rows: { ...rows, logits: lastLogits }, lastLogits, length: ids.length });
    return { rows, lastLogits, origin: 'prefilled' };
  }

  async #step(): Promise<void> {
    const { decoder } = this.#options;
    const { vocabSize } = decoder.config;
    while (!this.#hasRoom(this.running.length, 1)) this.#retractYoungest();
    this.#reshape(this.#longest(), this.running.length);
    const batch = this.#rows.map((sequence) =>
      sequence === null ? null : { tokenId: sequence.tokenAt(sequence.cached), position: sequence.cached },
    );
    const logits = await decoder.step(batch, this.#cache);
    this.#rows.forEach((sequence, row) => {
      if (sequence === null) return;
      sequence.cached++;
      this.#extend(sequence, logits.subarray(row * vocabSize, (row + 1) * vocabSize));
    });
  }

  #extend(sequence: Sequence, logits: Float32Array): void {
    const drawn = drawNext(sequence, logits);
    if (drawn === null) {
      sequence.tailText = sequence.text.end(null, NUMERIC_FAILURE);
      this.#end(sequence, NUMERIC_FAILURE);
      return;
    }
    this.#tokens++;
    const { call, text, output } = sequence;
    const reason = findStop({
      outputCount: output.length + 1,
      maxNewTokens: call.maxNewTokens,
      lastTokenId: drawn.id,
      stopTokenIds: call.stopTokenIds,
      matchedString: text.test(drawn.id),
    });
    const shown = reason === null ? text.push(drawn.id) : text.end(drawn.id, reason);
    output.push({ ...drawn, version: this.#options.version(), text: shown });
    if (reason === null) sequence.listener.onToken();
    else this.#end(sequence, reason);
  }

  #end(sequence: Sequence, reason: FinishReason): void {
    if (sequence.row !== null) this.#rows[sequence.row] = null;
    else this.#waiting = this.#waiting.filter((other) => other !== sequence);
    sequence.row = null;
    sequence.finish = reason;
    sequence.listener.onEnd();
  }

  /** Lowest free row of a cache that is wide enough for `positions`. */
  #takeRow(sequence: Sequence, positions: number): number {
    this.#reshape(this.#longest(positions), this.running.length + 1);
    const row = this.#rows.indexOf(null);
    if (row < 0) throw new Error('no free row after reshaping');
    this.#rows[row] = sequence;
    sequence.row = row;
    return row;
  }

  /** Brings batch and cache to the smallest compiled shape for the need; sequences keep their rows when they can. */
  #reshape(positions: number, count: number): void {
    const { shapes } = this.#options;
    const capacity = fitSize(shapes.capacities, positions);
    const rows = fitSize(rowSizes(shapes, capacity), count);
    if (rows !== this.#rows.length) {
      const kept: (Sequence | null)[] = this.#rows.slice(0, rows);
      while (kept.length < rows) kept.push(null);
      for (const sequence of this.#rows.slice(rows)) if (sequence !== null) kept[kept.indexOf(null)] = sequence;
      this.#rows = kept;
    }
    const moves = this.#rows.map((sequence) =>
      sequence?.row == null ? null : { from: sequence.row, length: sequence.cached },
    );
    this.#cache.reshape(rows, capacity, moves);
    this.#rows.forEach((sequence, row) => {
      if (sequence !== null) sequence.row = row;
    });
  }
}
