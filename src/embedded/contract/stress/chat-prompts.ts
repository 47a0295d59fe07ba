import type { EngineTokenizer } from '../../engine/model-folder';
import { type Message, sampleConversation } from '../../world/conversation';
import { integer, pick, type Random } from '../../world/random';

/** Chats of the model's own world as ChatML ids: what the studio sends, so that a wrong prefix would show in the answers. */
export class ChatPrompts {
  readonly #tokenizer: EngineTokenizer;
  readonly #contextLength: number;
  readonly #random: Random;

  constructor(tokenizer: EngineTokenizer, contextLength: number, random: Random) {
    this.#tokenizer = tokenizer;
    this.#contextLength = contextLength;
    this.#random = random;
  }

  /** The first turn of a chat; half of them begin alike, as chats under one system message do. */
  opening(): number[] {
    const system: Message[] =
      this.#random() < 0.5 ? [{ role: 'system', content: pick(this.#random, ['Be brief.', 'You are Plaudit.']) }] : [];
    return this.#encode([...system, { role: 'user', content: this.#question() }]);
  }

  /** The turn after an answer: the very ids that were sampled, then the next question. */
  next(before: readonly number[], answer: readonly number[]): number[] {
    const rest = `<|im_end|>\n${ask(this.#question())}`;
    const ended = answer[answer.length - 1] === this.#endOfTurn ? answer.slice(0, -1) : answer;
    return [...before, ...ended, ...this.#tokenizer.encode(rest)];
  }

  /** A chat cut from the left so that only a few positions are free. */
  nearCapacity(): number[] {
    let messages: Message[] = [];
    let ids: number[] = [];
    while (ids.length < this.#contextLength) {
      messages = [...messages, ...sampleConversation(this.#random, 2)];
      ids = this.#encode(messages);
    }
    return ids.slice(-(this.#contextLength - integer(this.#random, 1, 12)));
  }

  get #endOfTurn(): number | undefined {
    return this.#tokenizer.encode('<|im_end|>')[0];
  }

  #question(): string {
    return sampleConversation(this.#random, 1).find(({ role }) => role === 'user')?.content ?? '';
  }

  #encode(messages: readonly Message[]): number[] {
    const text = messages.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`).join('');
    return [...this.#tokenizer.encode(`${text}<|im_start|>assistant\n`)];
  }
}

function ask(question: string): string {
  return `<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`;
}
