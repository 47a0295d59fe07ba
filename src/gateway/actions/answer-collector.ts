import type { AnswerDelta, AnswerMessage, TokenLogprob } from '../../shared/domain/answer';
import type { VersionRun } from '../../shared/domain/version-runs';
import type { AnswerParser } from '../answers/answer-format';
import { AnswerMessageBuilder } from '../answers/answer-message-builder';
import type { TokenDelta } from '../backends/backend';
import { StopMatcher } from '../interactions/stop-matcher';
import type { SampledOutput } from '../store/interactions';
import type { ChatTokenizer, IncrementalDecoder } from '../tokenizer/chat-tokenizer';
import { TokenLogprobs } from './token-logprobs';

/** How the tokens of one answer are read. */
export interface CollectorOptions {
  readonly stopStrings: readonly string[];
  readonly parser: AnswerParser;
  /** special tokens that the parser reads */
  readonly markers: readonly string[];
  /** one call is enough: nothing after it is part of the answer */
  readonly endsAfterToolCall: boolean;
  /** alternatives to report per token; null = no log-probs */
  readonly topLogprobs: number | null;
}

/**
 * Gathers one answer: every sampled token as evidence, and what a reader may see.
 *
 * Ids become raw text, raw text is cut at the first stop string, and the rest is taken apart by the model's format.
 */
export class AnswerCollector {
  readonly #tokenIds: number[] = [];
  readonly #logprobs: number[] = [];
  readonly #versions: number[] = [];
  readonly #versionRuns: [version: number, length: number][] = [];
  readonly #decoder: IncrementalDecoder;
  readonly #stops: StopMatcher;
  readonly #hidden: ReadonlySet<number>;
  readonly #reported: TokenLogprobs | null;
  readonly #message = new AnswerMessageBuilder();
  #stopString: string | null = null;
  #isStopped = false;
  #reasoningTokens = 0;
  #sentText = '';

  constructor(
    private readonly tokenizer: ChatTokenizer,
    private readonly options: CollectorOptions,
  ) {
    this.#decoder = tokenizer.createDecoder(options.markers);
    this.#stops = new StopMatcher(options.stopStrings);
    this.#hidden = new Set(tokenizer.stopTokenIds);
    this.#reported = options.topLogprobs === null ? null : new TokenLogprobs(tokenizer, options.topLogprobs);
  }

  /** A stop string or the only tool call is complete: what is sampled later is not part of the answer. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  get stopString(): string | null {
    return this.#stopString;
  }

  get reasoningTokens(): number {
    return this.#reasoningTokens;
  }

  /** raw text that the reader's message was made of */
  get sentText(): string {
    return this.#sentText;
  }

  message(): AnswerMessage {
    return this.#message.message();
  }

  /** Of the tokens that came since the last call; empty unless asked for. */
  takeLogprobs(): readonly TokenLogprob[] {
    return this.#reported?.take() ?? [];
  }

  /** What the tokens of the record say, decoded once more from the beginning. */
  decodedText(): string {
    const decoder = this.tokenizer.createDecoder(this.options.markers);
    return decoder.push(this.#tokenIds.filter((id) => !this.#hidden.has(id))) + decoder.flush();
  }

  /** Why a delta is no answer at all, or null: such a one cannot even be shown. */
  findProblem({ tokenIds, logprobs, versions }: TokenDelta): string | null {
    if (tokenIds.length !== logprobs.length || tokenIds.length !== versions.length)
      return `The engine sent ${tokenIds.length} token ids, ${logprobs.length} log-probs and ${versions.length} versions for the same tokens.`;
    const badId = tokenIds.find((id) => !Number.isInteger(id) || id < 0 || id >= this.tokenizer.vocabularySize);
    return badId === undefined
      ? null
      : `The engine sampled token ${badId}, but the vocabulary has ${this.tokenizer.vocabularySize} tokens. Does it serve another model?`;
  }

  /** @returns what may be shown now. Tokens behind the one that ended the answer are dropped: they are no part of it. */
  add(delta: TokenDelta): AnswerDelta[] {
    const { tokenIds, logprobs, versions } = delta;
    const deltas: AnswerDelta[] = [];
    for (const [index, id] of tokenIds.entries()) {
      if (this.#isStopped) break;
      this.#tokenIds.push(id);
      this.#logprobs.push(logprobs[index] as number); // findProblem compared the lengths
      this.#addVersion(versions[index] as number);
      const wasReasoning = this.options.parser.isReasoning;
      if (!this.#hidden.has(id)) {
        const text = this.#decoder.push([id]);
        this.#reported?.add(text, delta, index);
        deltas.push(...this.#show(text));
      }
      if (wasReasoning && this.options.parser.isReasoning) this.#reasoningTokens += 1;
    }
    const merged = mergeDeltas(deltas);
    this.#message.add(merged);
    return merged;
  }

  /** No more tokens: what was held back belongs to the text. @returns that rest */
  finish(): AnswerDelta[] {
    const deltas: AnswerDelta[] = [];
    if (this.#stopString === null) deltas.push(...this.#show(this.#decoder.flush()));
    if (this.#stopString === null) deltas.push(...this.#parse(this.#stops.flush()));
    deltas.push(...this.options.parser.finish());
    const merged = mergeDeltas(deltas);
    this.#message.add(merged);
    return merged;
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

  #show(piece: string): AnswerDelta[] {
    if (piece === '') return [];
    const match = this.#stops.push(piece);
    const deltas = this.#parse(match.text);
    this.#stopString = match.matched;
    const { endsAfterToolCall, parser } = this.options;
    this.#isStopped = match.matched !== null || (endsAfterToolCall && parser.completeToolCalls > 0);
    return deltas;
  }

  #parse(text: string): AnswerDelta[] {
    if (text === '') return [];
    this.#sentText += text;
    return this.options.parser.push(text);
  }
}

/** Text of several tokens that came together is told at once. */
function mergeDeltas(deltas: readonly AnswerDelta[]): AnswerDelta[] {
  const merged: AnswerDelta[] = [];
  for (const delta of deltas) {
    const last = merged[merged.length - 1];
    if (last === undefined || last.kind === 'tool-call' || delta.kind === 'tool-call' || !isSamePlace(last, delta))
      merged.push(delta);
    else merged[merged.length - 1] = { ...last, text: last.text + delta.text };
  }
  return merged;
}

function isSamePlace(left: AnswerDelta, right: AnswerDelta): boolean {
  if (left.kind !== right.kind) return false;
  return left.kind !== 'tool-arguments' || right.kind !== 'tool-arguments' || left.index === right.index;
}
