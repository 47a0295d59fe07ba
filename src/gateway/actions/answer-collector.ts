import type { VersionRun } from '../../shared/domain/version-runs';
import type { TokenDelta } from '../backends/backend';
import { StopMatcher } from '../interactions/stop-matcher';
import type { SampledOutput } from '../store/interactions';
import type { ChatTokenizer, IncrementalDecoder } from '../tokenizer/chat-tokenizer';

/** Gathers one answer: every sampled token as evidence, and the text a reader may see. */
export class AnswerCollector {
  readonly #tokenIds: number[] = [];
  readonly #logprobs: number[] = [];
  readonly #versions: number[] = [];
  readonly #versionRuns: [version: number, length: number][] = [];
  readonly #decoder: IncrementalDecoder;
  readonly #stops: StopMatcher;
  readonly #hidden: ReadonlySet<number>;
  #text = '';
  #isStopped = false;

  constructor(
    private readonly tokenizer: ChatTokenizer,
    stopStrings: readonly string[],
  ) {
    this.#decoder = tokenizer.createDecoder();
    this.#stops = new StopMatcher(stopStrings);
    this.#hidden = new Set(tokenizer.stopTokenIds);
  }

  get text(): string {
    return this.#text;
  }

  /** A stop string was reached: later text would not be shown. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Why a delta cannot be evidence for training, or null. */
  findProblem({ tokenIds, logprobs, versions }: TokenDelta): string | null {
    if (tokenIds.length !== logprobs.length || tokenIds.length !== versions.length)
      return `The engine sent ${tokenIds.length} token ids, ${logprobs.length} log-probs and ${versions.length} versions for the same tokens.`;
    const badId = tokenIds.find((id) => !Number.isInteger(id) || id < 0 || id >= this.tokenizer.vocabularySize);
    if (badId !== undefined)
      return `The engine sampled token ${badId}, but the vocabulary has ${this.tokenizer.vocabularySize} tokens. Does it serve another model?`;
    // float32's lowest number is what engines send for minus infinity: a token of probability zero was never sampled.
    const badLogprob = logprobs.find((value) => !Number.isFinite(value) || value > 1e-3 || value < -1e38);
    if (badLogprob !== undefined) return `The engine sent the log-prob ${badLogprob}, which no sampled token can have.`;
    const badVersion = versions.find((version) => !Number.isInteger(version) || version < 0);
    if (badVersion !== undefined) return `The engine sent the weight version ${badVersion} for a sampled token.`;
    return null;
  }

  /** @returns text that may be shown now */
  add(delta: TokenDelta): string {
    for (const id of delta.tokenIds) this.#tokenIds.push(id);
    for (const logprob of delta.logprobs) this.#logprobs.push(logprob);
    for (const version of delta.versions) this.#addVersion(version);
    if (this.#isStopped) return '';
    return this.#show(this.#decoder.push(delta.tokenIds.filter((id) => !this.#hidden.has(id))));
  }

  /** No more tokens: what was held back belongs to the text. @returns that rest */
  finish(): string {
    if (this.#isStopped) return '';
    const shown = this.#show(this.#decoder.flush());
    const rest = this.#isStopped ? '' : this.#stops.flush();
    this.#text += rest;
    return shown + rest;
  }

  /** Of all tokens so far. */
  versionRuns(): VersionRun[] {
    return this.#versionRuns.map(([version, length]) => [version, length]);
  }

  output(): SampledOutput {
    return { tokenIds: this.#tokenIds, logprobs: this.#logprobs, versions: this.#versions };
  }

  // Kept up to date token by token: encoding all versions again at every delta would cost the square of the length.
  #addVersion(version: number): void {
    this.#versions.push(version);
    const last = this.#versionRuns[this.#versionRuns.length - 1];
    if (last?.[0] === version) last[1] += 1;
    else this.#versionRuns.push([version, 1]);
  }

  #show(piece: string): string {
    const match = this.#stops.push(piece);
    this.#isStopped = match.matched !== null;
    this.#text += match.text;
    return match.text;
  }
}
