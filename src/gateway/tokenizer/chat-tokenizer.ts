import type { ChatMessage } from '../../shared/domain/interaction';
import type { Result } from '../../shared/lib/result';

/** Turns sampled ids into text while they arrive; one per answer. */
export interface IncrementalDecoder {
  /** Text that is certain now: never half a character. Concatenated with `flush()` it is the decoded whole. */
  push(tokenIds: readonly number[]): string;
  /** What was held back because it might have been the start of a character. */
  flush(): string;
}

/** The messages cannot be put through the model's chat template; the message is the template's own. */
export interface TemplateRefusal {
  readonly kind: 'template-refused';
  readonly message: string;
}

/** Far more text than the context can hold: tokenizing megabytes would keep everybody else waiting. */
export interface PromptTooLong {
  readonly kind: 'prompt-too-long';
  /** a lower bound of the prompt's tokens, more than the limit */
  readonly leastTokens: number;
}

/** The tokenizer and chat template of one model folder. */
export interface ChatTokenizer {
  readonly modelName: string;
  /** positions of the model; the engine may allow fewer */
  readonly contextLength: number;
  readonly vocabularySize: number;
  /** end-of-answer tokens: sent to the engine as stops, kept in the record, never shown as text */
  readonly stopTokenIds: readonly number[];
  /** Prompt ids of a conversation, generation prompt included, exactly as they are sent; may exceed the limit somewhat. */
  renderPrompt(
    messages: readonly ChatMessage[],
    tools: readonly unknown[] | null,
    limitTokens: number,
  ): Result<number[], TemplateRefusal | PromptTooLong>;
  encode(text: string): number[];
  createDecoder(): IncrementalDecoder;
  /** Text of each token for display; special tokens by name, bytes of a split character on its last token. */
  describeTokens(tokenIds: readonly number[]): string[];
}
