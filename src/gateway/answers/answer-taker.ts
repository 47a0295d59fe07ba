import type { AnswerDelta } from '../../shared/domain/answer';
import type { AnswerParser, ParserOptions } from './answer-format';
import { BlankTrimmer } from './blank-trimmer';
import type { CallReader, CallSyntax, WrittenCall } from './call-syntax';
import { findTag, partialTagLength, skipBlank } from './tag-search';

export const THINK = '<think>';
export const THINK_END = '</think>';

/**
 * Takes an answer apart; the family's syntax says how calls are written.
 *
 * A call is told when it is complete and never before: what a small model writes breaks often, and a call that was
 * half told could not be taken back. What can never be a call of a tool that was offered is content, tags and all.
 * Think tags never show: one without its partner switches too, and an unclosed one swallows the rest.
 */
export class AnswerTaker implements AnswerParser {
  readonly #thinkTags: readonly string[];
  readonly #contentTags: readonly string[];
  readonly #names: ReadonlySet<string>;
  readonly #trimmers = { content: new BlankTrimmer(), reasoning: new BlankTrimmer() };
  #pending: string;
  /** characters at the front of what is pending that the gateway wrote and the model did not */
  #forced: number;
  #mode: 'content' | 'reasoning';
  #reader: CallReader | null = null;
  /** where a bare call may begin */
  #isAtStart = true;
  #isBehindCall = false;
  #deltas: AnswerDelta[] = [];
  #calls = 0;

  constructor(
    private readonly syntax: CallSyntax | null,
    isThinking: boolean,
    private readonly options: ParserOptions,
  ) {
    this.#names = new Set(options.tools.map((tool) => tool.name));
    if (options.tools.length === 0) this.syntax = null;
    this.#thinkTags = isThinking ? [THINK, THINK_END] : [];
    this.#contentTags = [...this.#thinkTags, ...(this.syntax?.openings ?? []), ...(this.syntax?.brackets ?? [])];
    this.#pending = this.syntax === null ? '' : options.forcedOpening;
    this.#forced = this.#pending.length;
    this.#mode = options.startsInReasoning && this.#forced === 0 ? 'reasoning' : 'content';
  }

  get completeToolCalls(): number {
    return this.#calls;
  }

  get isReasoning(): boolean {
    return this.#mode === 'reasoning';
  }

  push(text: string): AnswerDelta[] {
    this.#pending += text;
    return this.#run(false);
  }

  finish(): AnswerDelta[] {
    const deltas = this.#run(true);
    this.#deltas = deltas;
    this.#add(this.#trimmers[this.#mode].finish());
    return this.#drain();
  }

  #run(isEnd: boolean): AnswerDelta[] {
    let isMoving = true;
    while (isMoving) isMoving = this.#reader === null ? this.#text(isEnd) : this.#call(this.#reader, isEnd);
    return this.#drain();
  }

  /** @returns whether there is more to do */
  #text(isEnd: boolean): boolean {
    if (this.#mode === 'content' && this.#isAtStart && this.syntax?.isBareAllowed) {
      const start = this.#skipSeparators();
      if (start >= this.#pending.length && !isEnd) return false;
      this.#isAtStart = false;
      if (this.#isBehindCall) this.#take(start);
      else this.#tell(this.#take(start));
      if (this.#pending.startsWith('{')) return this.#open(this.syntax);
    }
    const tags = this.#mode === 'content' ? this.#contentTags : this.#thinkTags;
    const found = findTag(this.#pending, tags);
    if (found === null) {
      const kept = isEnd ? 0 : partialTagLength(this.#pending, tags);
      this.#tell(this.#take(this.#pending.length - kept));
      return false;
    }
    this.#tell(this.#take(found.index));
    if (this.syntax?.openings.includes(found.tag)) return this.#open(this.syntax);
    this.#take(found.tag.length);
    this.#tag();
    if (found.tag === THINK) this.#mode = 'reasoning';
    if (found.tag === THINK_END) this.#mode = 'content';
    if (found.tag === THINK_END) this.#begin(false);
    return true;
  }

  #call(reader: CallReader, isEnd: boolean): boolean {
    const reading = reader.read(this.#pending, isEnd);
    if (reading.kind === 'more') return false;
    this.#reader = null;
    const text = this.#take(reading.length);
    if (reading.kind === 'call' && this.#names.has(reading.call.name)) {
      this.#tag();
      this.#tellCall(reading.call);
      this.#begin(true);
    } else this.#tell(text);
    return true;
  }

  #open(syntax: CallSyntax): boolean {
    this.#isAtStart = false;
    this.#reader = syntax.createReader(this.options.tools);
    return true;
  }

  #begin(isBehindCall: boolean): void {
    this.#isAtStart = true;
    this.#isBehindCall = isBehindCall;
  }

  #skipSeparators(): number {
    let at = skipBlank(this.#pending, 0);
    while (this.#isBehindCall && this.#pending[at] === ';') at = skipBlank(this.#pending, at + 1);
    return at;
  }

  #take(length: number): string {
    const hidden = Math.min(this.#forced, length);
    const text = this.#pending.slice(hidden, length);
    this.#forced -= hidden;
    this.#pending = this.#pending.slice(length);
    return text;
  }

  #tell(text: string): void {
    this.#add(this.#trimmers[this.#mode].push(text));
  }

  #tag(): void {
    this.#trimmers.content.tag();
    this.#trimmers.reasoning.tag();
  }

  #add(text: string): void {
    if (text === '') return;
    const last = this.#deltas.at(-1);
    if (last?.kind === this.#mode) this.#deltas[this.#deltas.length - 1] = { kind: this.#mode, text: last.text + text };
    else this.#deltas.push({ kind: this.#mode, text });
  }

  #tellCall(call: WrittenCall): void {
    const index = this.#calls;
    this.#calls += 1;
    this.#deltas.push(
      { kind: 'tool-call', index, id: this.options.newToolCallId(), name: call.name },
      { kind: 'tool-arguments', index, text: call.arguments },
    );
  }

  #drain(): AnswerDelta[] {
    const deltas = this.#deltas;
    this.#deltas = [];
    return deltas;
  }
}
