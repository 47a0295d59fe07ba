import type { AnswerDelta, AnswerMessage } from '../../shared/domain/answer';

/** Puts an answer together again from its deltas, as a client does. */
export class AnswerMessageBuilder {
  #content = '';
  #reasoning: string | null = null;
  readonly #toolCalls: { id: string; name: string; arguments: string }[] = [];

  add(deltas: readonly AnswerDelta[]): void {
    for (const delta of deltas) {
      switch (delta.kind) {
        case 'content':
          this.#content += delta.text;
          break;
        case 'reasoning':
          this.#reasoning = (this.#reasoning ?? '') + delta.text;
          break;
        case 'tool-call':
          this.#toolCalls[delta.index] = { id: delta.id, name: delta.name, arguments: '' };
          break;
        case 'tool-arguments': {
          const call = this.#toolCalls[delta.index];
          if (call !== undefined) call.arguments += delta.text;
          break;
        }
      }
    }
  }

  message(): AnswerMessage {
    return {
      content: this.#content,
      reasoning: this.#reasoning,
      toolCalls: this.#toolCalls.map((call) => ({ ...call })),
    };
  }
}
