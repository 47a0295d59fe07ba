import type { AnswerDelta, AnswerEvent, AnswerHead, ChoiceEnd } from '../../../shared/domain/answer';
import { toAnswerId } from '../../../shared/domain/answer-ids';
import { assertNever } from '../../../shared/lib/assert-never';
import type {
  AnswerBlock,
  MessageBody,
  MessageEvent,
  MessageUsage,
  StopReason,
} from '../../../shared/wire/anthropic-messages';

/**
 * Turns the events of one answer into Anthropic's, in Anthropic's order, and into the whole message.
 *
 * A call that does not stream uses it too and ignores the events, so both forms say the same.
 */
export class MessageWriter {
  #body: MessageBody;
  readonly #blocks: AnswerBlock[] = [];
  #open: OpenBlock | null = null;
  #end: ChoiceEnd | null = null;

  constructor(head: AnswerHead) {
    this.#body = {
      id: toAnswerId('msg', head.id),
      type: 'message',
      role: 'assistant',
      model: head.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usage(head.promptTokens, head.cachedTokens, 0),
      plaudit: { session_id: head.sessionId, interaction_id: head.id, version_rle: [] },
    };
  }

  /** Whole after {@link finish}. */
  get body(): MessageBody {
    return this.#body;
  }

  /** Clients take the prompt's tokens from here: the last event only has to tell the answer's. */
  begin(): MessageEvent[] {
    return [{ type: 'message_start', message: this.#body }, { type: 'ping' }];
  }

  /** Everything but the last event of the answer. */
  add(event: Exclude<AnswerEvent, { kind: 'end' }>): MessageEvent[] {
    if (event.kind === 'choice-end') {
      this.#end = event;
      return [];
    }
    return event.deltas.flatMap((delta) => this.#addDelta(delta));
  }

  finish(end: Extract<AnswerEvent, { kind: 'end' }>): MessageEvent[] {
    const events = this.#close();
    const total = usage(end.promptTokens, end.cachedTokens, end.completionTokens);
    const stop = { stop_reason: stopReason(this.#end), stop_sequence: this.#end?.stopString ?? null };
    const versionRuns = (this.#end?.versionRuns ?? []).map(([version, length]): [number, number] => [version, length]);
    const plaudit = { ...this.#body.plaudit, version_rle: versionRuns };
    this.#body = { ...this.#body, ...stop, content: this.#blocks, usage: total, plaudit };
    return [...events, { type: 'message_delta', delta: stop, usage: total, plaudit }, { type: 'message_stop' }];
  }

  #addDelta(delta: AnswerDelta): MessageEvent[] {
    switch (delta.kind) {
      case 'content':
        return [...this.#ensure('text'), ...this.#grow({ type: 'text_delta', text: delta.text }, delta.text)];
      case 'reasoning':
        return [
          ...this.#ensure('thinking'),
          ...this.#grow({ type: 'thinking_delta', thinking: delta.text }, delta.text),
        ];
      case 'tool-call':
        return this.#start({ kind: 'tool_use', text: '', id: delta.id, name: delta.name });
      case 'tool-arguments':
        return this.#grow({ type: 'input_json_delta', partial_json: delta.text }, delta.text);
      default:
        return assertNever(delta);
    }
  }

  #ensure(kind: 'text' | 'thinking'): MessageEvent[] {
    return this.#open?.kind === kind ? [] : this.#start({ kind, text: '', id: '', name: '' });
  }

  #start(block: OpenBlock): MessageEvent[] {
    const closing = this.#close();
    this.#open = block;
    const start = { type: 'content_block_start', index: this.#blocks.length, content_block: emptyBlock(block) };
    return [...closing, start];
  }

  #grow(delta: object, text: string): MessageEvent[] {
    if (this.#open === null) return [];
    this.#open.text += text;
    return [{ type: 'content_block_delta', index: this.#blocks.length, delta }];
  }

  #close(): MessageEvent[] {
    if (this.#open === null) return [];
    const index = this.#blocks.length;
    const block = this.#toBlock(this.#open);
    this.#blocks.push(block);
    this.#open = null;
    // Clients send thinking back only with a signature; ours says which answer it belongs to.
    const signature =
      block.type === 'thinking'
        ? [{ type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: block.signature } }]
        : [];
    return [...signature, { type: 'content_block_stop', index }];
  }

  #toBlock({ kind, text, id, name }: OpenBlock): AnswerBlock {
    switch (kind) {
      case 'text':
        return { type: 'text', text, citations: null };
      case 'thinking':
        return { type: 'thinking', thinking: text, signature: this.#body.id };
      case 'tool_use':
        return { type: 'tool_use', id, name, input: toInput(text) };
      default:
        return assertNever(kind);
    }
  }
}

interface OpenBlock {
  readonly kind: AnswerBlock['type'];
  text: string;
  readonly id: string;
  readonly name: string;
}

function emptyBlock({ kind, id, name }: OpenBlock): AnswerBlock {
  switch (kind) {
    case 'text':
      return { type: 'text', text: '', citations: null };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'tool_use':
      return { type: 'tool_use', id, name, input: {} };
    default:
      return assertNever(kind);
  }
}

/** Arguments cut off by the budget are no JSON: the client gets them under a name that no tool has. */
function toInput(text: string): Record<string, unknown> {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>; // an object has fields
  } catch {
    // told below
  }
  return { unparsed_arguments: text };
}

function stopReason(end: ChoiceEnd | null): StopReason {
  if (end?.finishReason !== 'stop') return 'max_tokens';
  if (end.message.toolCalls.length > 0) return 'tool_use';
  return end.stopString === null ? 'end_turn' : 'stop_sequence';
}

function usage(promptTokens: number, cachedTokens: number, completionTokens: number): MessageUsage {
  return {
    input_tokens: promptTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    output_tokens: completionTokens,
  };
}
