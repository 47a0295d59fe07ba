import type { AnswerDelta, AnswerEvent, AnswerHead, ChoiceEnd, TokenLogprob } from '../../../shared/domain/answer';
import { toAnswerId } from '../../../shared/domain/answer-ids';
import { assertNever } from '../../../shared/lib/assert-never';
import type {
  ResponseBody,
  ResponseEvent,
  ResponseOutputItem,
  ResponseRequest,
} from '../../../shared/wire/openai-responses';
import {
  type GrowingItem,
  growingCall,
  growingMessage,
  growingReasoning,
  type ItemPlace,
  type ReasoningForm,
  type UnnumberedEvent,
} from './output-item';
import { beginBody, extension } from './response-body';

const PREFIXES = { message: 'msg', reasoning: 'rs', function_call: 'fc' } as const;

/**
 * Turns the events of one answer into OpenAI's, in OpenAI's order, and into the whole response.
 *
 * A call that does not stream uses it too and ignores the events, so both forms say the same.
 */
export class ResponseWriter {
  #body: ResponseBody;
  readonly #form: ReasoningForm;
  readonly #done: ResponseOutputItem[] = [];
  #open: GrowingItem | null = null;
  #end: ChoiceEnd | null = null;
  #sequenceNumber = 0;

  constructor(
    private readonly head: AnswerHead,
    request: ResponseRequest,
  ) {
    this.#body = beginBody(head, request);
    this.#form = {
      asSummary: typeof request.reasoning?.summary === 'string',
      isSealed: (request.include ?? []).includes('reasoning.encrypted_content'),
    };
  }

  /** As far as it has come; whole after {@link finish}. */
  get body(): ResponseBody {
    return this.#body;
  }

  begin(): ResponseEvent[] {
    return this.#number([
      { type: 'response.created', response: this.#body },
      { type: 'response.in_progress', response: this.#body },
    ]);
  }

  /** Everything but the last event of the answer. */
  add(event: Exclude<AnswerEvent, { kind: 'end' }>): ResponseEvent[] {
    if (event.kind === 'choice-end') {
      this.#end = event;
      return [];
    }
    const { deltas, logprobs } = event;
    const lastText = deltas.map((delta) => delta.kind).lastIndexOf('content');
    return this.#number(deltas.flatMap((delta, index) => this.#addDelta(delta, index === lastText ? logprobs : [])));
  }

  /** @param completedAt - milliseconds since the epoch */
  finish(end: Extract<AnswerEvent, { kind: 'end' }>, completedAt: number): ResponseEvent[] {
    const isWhole = this.#end?.finishReason === 'stop';
    const events = this.#closeItem(isWhole ? 'completed' : 'incomplete');
    // Agents wait for a message or a call; thoughts alone would make them ask again for ever.
    const hasWord = this.#done.some((item) => item.type !== 'reasoning');
    if (isWhole && !hasWord) events.push(...this.#openItem('message', growingMessage), ...this.#closeItem('completed'));
    this.#body = {
      ...this.#body,
      status: isWhole ? 'completed' : 'incomplete',
      completed_at: isWhole ? Math.floor(completedAt / 1000) : null,
      incomplete_details: isWhole ? null : { reason: 'max_output_tokens' },
      output: this.#done,
      usage: {
        input_tokens: end.promptTokens,
        input_tokens_details: { cached_tokens: end.cachedTokens },
        output_tokens: end.completionTokens,
        output_tokens_details: { reasoning_tokens: end.reasoningTokens },
        total_tokens: end.promptTokens + end.completionTokens,
      },
      plaudit: extension(this.head, this.#end?.versionRuns ?? []),
    };
    return this.#number([
      ...events,
      { type: isWhole ? 'response.completed' : 'response.incomplete', response: this.#body },
    ]);
  }

  /** The last event of an answer that was begun and cannot be had. */
  fail(code: string, message: string): ResponseEvent[] {
    const output = this.#open === null ? this.#done : [...this.#done, this.#open.item('incomplete')];
    this.#body = { ...this.#body, status: 'failed', error: { code, message }, output };
    return this.#number([{ type: 'response.failed', response: this.#body }]);
  }

  #addDelta(delta: AnswerDelta, logprobs: readonly TokenLogprob[]): UnnumberedEvent[] {
    switch (delta.kind) {
      case 'content':
        return [...this.#ensure('message', growingMessage), ...this.#grow(delta.text, logprobs)];
      case 'reasoning':
        return [
          ...this.#ensure('reasoning', (place) => growingReasoning(place, this.#form)),
          ...this.#grow(delta.text),
        ];
      case 'tool-call':
        return this.#openItem('function_call', (place) => growingCall(place, delta.id, delta.name));
      case 'tool-arguments':
        return this.#grow(delta.text);
      default:
        return assertNever(delta);
    }
  }

  #grow(text: string, logprobs: readonly TokenLogprob[] = []): UnnumberedEvent[] {
    return this.#open?.add(text, logprobs) ?? [];
  }

  #ensure(kind: GrowingItem['kind'], create: (place: ItemPlace) => GrowingItem): UnnumberedEvent[] {
    return this.#open?.kind === kind ? [] : this.#openItem(kind, create);
  }

  #openItem(kind: GrowingItem['kind'], create: (place: ItemPlace) => GrowingItem): UnnumberedEvent[] {
    const closing = this.#closeItem('completed');
    const outputIndex = this.#done.length;
    this.#open = create({ id: toAnswerId(PREFIXES[kind], this.head.id, outputIndex), outputIndex });
    return [...closing, ...this.#open.open()];
  }

  #closeItem(status: 'completed' | 'incomplete'): UnnumberedEvent[] {
    const item = this.#open;
    if (item === null) return [];
    this.#open = null;
    this.#done.push(item.item(status));
    return item.close(status);
  }

  #number(events: readonly UnnumberedEvent[]): ResponseEvent[] {
    return events.map((event) => ({ ...event, sequence_number: this.#sequenceNumber++ }));
  }
}
