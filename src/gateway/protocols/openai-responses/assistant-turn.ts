import type { ToolCall } from '../../../shared/domain/answer';
import type { ChatMessage } from '../../../shared/domain/interaction';

/**
 * Gathers the items of one assistant turn into the one message they were sampled as.
 *
 * A text or reasoning that cannot belong to the turn (it already has some, and no call came between) begins another.
 */
export class AssistantTurn {
  #reasoning: string | null = null;
  #content: string | null = null;
  #calls: ToolCall[] = [];

  constructor(private readonly emit: (message: ChatMessage) => void) {}

  addReasoning(text: string): void {
    if (text === '') return;
    if (this.#content !== null || this.#calls.length > 0 || this.#reasoning !== null) this.close();
    this.#reasoning = text;
  }

  addText(text: string): void {
    if (this.#content !== null && this.#calls.length === 0) this.close();
    this.#content = (this.#content ?? '') + text;
  }

  addToolCall(call: ToolCall): void {
    this.#calls.push(call);
  }

  /** Ends the turn; nothing happens when it is empty. */
  close(): void {
    if (this.#reasoning === null && this.#content === null && this.#calls.length === 0) return;
    this.emit({
      role: 'assistant',
      content: this.#content ?? '',
      ...(this.#reasoning === null ? {} : { reasoning_content: this.#reasoning }),
      ...(this.#calls.length === 0 ? {} : { tool_calls: this.#calls.map(toWireCall) }),
    });
    this.#reasoning = null;
    this.#content = null;
    this.#calls = [];
  }
}

function toWireCall({ id, name, arguments: text }: ToolCall): object {
  return { id, type: 'function', function: { name, arguments: text } };
}
