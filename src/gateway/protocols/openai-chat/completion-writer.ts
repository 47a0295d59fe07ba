import type { AnswerEvent, AnswerHead, ChoiceEnd, TokenLogprob } from '../../../shared/domain/answer';
import type { ChatCompletion, ChatCompletionChunk } from '../../../shared/wire/openai-chat';
import { completionBody, deltaChunks, finishChunk, roleChunk, usageChunk, withUsage } from './completion-body';

/** What the client wants to have told beside the text. */
export interface CompletionAsks {
  readonly logprobs: boolean;
  /** a chunk of its own for the usage, at the end of a stream */
  readonly usageChunk: boolean;
  /** chunks are made for streams only */
  readonly stream: boolean;
}

/** Writes one answer as OpenAI's chat completion: its chunks as it is made, and the whole of it. */
export class CompletionWriter {
  readonly #choices: ChoiceEnd[] = [];
  readonly #logprobs = new Map<number, TokenLogprob[]>();
  #begun = 1;
  /** held back until the next event: the last chunk of all carries the usage */
  #held: ChatCompletionChunk | null = null;
  #body: ChatCompletion | null = null;

  constructor(
    private readonly head: AnswerHead,
    private readonly asks: CompletionAsks,
  ) {}

  /** null before the end */
  get body(): ChatCompletion | null {
    return this.#body;
  }

  begin(): ChatCompletionChunk[] {
    return [roleChunk(this.head, 0)];
  }

  add(event: Exclude<AnswerEvent, { kind: 'end' }>): ChatCompletionChunk[] {
    return this.asks.stream ? this.#toChunks(event) : this.#note(event);
  }

  finish(end: Extract<AnswerEvent, { kind: 'end' }>): ChatCompletionChunk[] {
    if (this.asks.stream)
      return [
        ...(this.#held === null ? [] : [withUsage(this.#held, end)]),
        ...(this.asks.usageChunk ? [usageChunk(this.head, end)] : []),
      ];
    const choices = this.#choices.map((choice) => ({
      ...choice,
      logprobs: this.asks.logprobs ? (this.#logprobs.get(choice.choice) ?? []) : null,
    }));
    this.#body = completionBody(this.head, choices, end);
    return [];
  }

  /** No further event comes: what was held back was true all the same. */
  fail(): ChatCompletionChunk[] {
    return this.#held === null ? [] : [this.#held];
  }

  #note(event: Exclude<AnswerEvent, { kind: 'end' }>): [] {
    if (event.kind === 'choice-end') this.#choices.push(event);
    else if (this.asks.logprobs) {
      const known = this.#logprobs.get(event.choice) ?? [];
      known.push(...event.logprobs);
      this.#logprobs.set(event.choice, known);
    }
    return [];
  }

  #toChunks(event: Exclude<AnswerEvent, { kind: 'end' }>): ChatCompletionChunk[] {
    const chunks: ChatCompletionChunk[] = this.#held === null ? [] : [this.#held];
    this.#held = null;
    // Choices after the first are begun in their order, when one of them is first heard of.
    for (; this.#begun <= event.choice; this.#begun += 1) chunks.push(roleChunk(this.head, this.#begun));
    if (event.kind === 'delta') chunks.push(...deltaChunks(this.head, event));
    else this.#held = finishChunk(this.head, event);
    return chunks;
  }
}
