import type { TokenLogprob } from '../../../shared/domain/answer';
import type { OutputText, ResponseLogprob, ResponseOutputItem } from '../../../shared/wire/openai-responses';
import { sealReasoning } from './sealed-reasoning';

/** An event before it gets its number. */
export interface UnnumberedEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

type Status = ResponseOutputItem['status'];

/** One output item while it grows; each change tells the events that announce it. */
export interface GrowingItem {
  readonly kind: 'message' | 'reasoning' | 'function_call';
  open(): UnnumberedEvent[];
  add(text: string, logprobs: readonly TokenLogprob[]): UnnumberedEvent[];
  close(status: Status): UnnumberedEvent[];
  /** as it is now */
  item(status: Status): ResponseOutputItem;
}

/** Where an item stands in its response. */
export interface ItemPlace {
  readonly id: string;
  readonly outputIndex: number;
}

/** A message of one text part. */
export function growingMessage({ id, outputIndex }: ItemPlace): GrowingItem {
  let text = '';
  const logprobs: ResponseLogprob[] = [];
  const place = { item_id: id, output_index: outputIndex, content_index: 0 };
  const part = (): OutputText => ({ type: 'output_text', text, annotations: [], logprobs: [...logprobs] });
  const item = (status: Status): ResponseOutputItem => ({
    id,
    type: 'message',
    status,
    role: 'assistant',
    content: status === 'in_progress' ? [] : [part()],
  });
  return {
    kind: 'message',
    item,
    open: () => [
      itemAdded(outputIndex, item('in_progress')),
      { type: 'response.content_part.added', ...place, part: part() },
    ],
    add: (delta, tokens) => {
      text += delta;
      const fresh = tokens.map(toLogprob);
      logprobs.push(...fresh);
      return [{ type: 'response.output_text.delta', ...place, delta, logprobs: fresh }];
    },
    close: (status) => [
      { type: 'response.output_text.done', ...place, text, logprobs: [...logprobs] },
      { type: 'response.content_part.done', ...place, part: part() },
      itemDone(outputIndex, item(status)),
    ],
  };
}

/** A call of a function. */
export function growingCall({ id, outputIndex }: ItemPlace, callId: string, name: string): GrowingItem {
  let text = '';
  const place = { item_id: id, output_index: outputIndex };
  const item = (status: Status): ResponseOutputItem => ({
    id,
    type: 'function_call',
    status,
    call_id: callId,
    name,
    arguments: text,
  });
  return {
    kind: 'function_call',
    item,
    open: () => [itemAdded(outputIndex, item('in_progress'))],
    add: (delta) => {
      text += delta;
      return [{ type: 'response.function_call_arguments.delta', ...place, delta }];
    },
    close: (status) => [
      { type: 'response.function_call_arguments.done', ...place, name, arguments: text },
      itemDone(outputIndex, item(status)),
    ],
  };
}

/** How the client wants to see reasoning. */
export interface ReasoningForm {
  /** in the summary, which every client shows, instead of the content */
  readonly asSummary: boolean;
  /** also in the field that stateless clients send back */
  readonly isSealed: boolean;
}

/** The text between the think tags. */
export function growingReasoning({ id, outputIndex }: ItemPlace, form: ReasoningForm): GrowingItem {
  let text = '';
  const place = { item_id: id, output_index: outputIndex, [form.asSummary ? 'summary_index' : 'content_index']: 0 };
  const part = (): { type: string; text: string } => ({
    type: form.asSummary ? 'summary_text' : 'reasoning_text',
    text,
  });
  const stem = form.asSummary ? 'response.reasoning_summary_text' : 'response.reasoning_text';
  const partStem = form.asSummary ? 'response.reasoning_summary_part' : 'response.content_part';
  const item = (status: Status): ResponseOutputItem => {
    const isFilled = status !== 'in_progress';
    return {
      id,
      type: 'reasoning',
      status,
      summary: isFilled && form.asSummary ? [{ type: 'summary_text', text }] : [],
      content: isFilled && !form.asSummary ? [{ type: 'reasoning_text', text }] : [],
      ...(form.isSealed ? { encrypted_content: isFilled ? sealReasoning(text) : '' } : {}),
    };
  };
  return {
    kind: 'reasoning',
    item,
    open: () => [itemAdded(outputIndex, item('in_progress')), { type: `${partStem}.added`, ...place, part: part() }],
    add: (delta) => {
      text += delta;
      return [{ type: `${stem}.delta`, ...place, delta }];
    },
    close: (status) => [
      { type: `${stem}.done`, ...place, text },
      { type: `${partStem}.done`, ...place, part: part() },
      itemDone(outputIndex, item(status)),
    ],
  };
}

function itemAdded(outputIndex: number, item: ResponseOutputItem): UnnumberedEvent {
  return { type: 'response.output_item.added', output_index: outputIndex, item };
}

function itemDone(outputIndex: number, item: ResponseOutputItem): UnnumberedEvent {
  return { type: 'response.output_item.done', output_index: outputIndex, item };
}

function toLogprob({ token, bytes, logprob, top }: TokenLogprob): ResponseLogprob {
  return {
    token,
    bytes: [...bytes],
    logprob,
    top_logprobs: top.map((other) => ({ token: other.token, bytes: [...other.bytes], logprob: other.logprob })),
  };
}
