import type { ToolDefinition } from '../../shared/domain/chat-call';
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

export interface RenderOptions {
  /** shown to the template in OpenAI's form; none is empty */
  readonly tools: readonly ToolDefinition[];
  /** further variables of the template, such as `enable_thinking`; they cannot replace the gateway's own */
  readonly templateValues: Readonly<Record<string, unknown>>;
  readonly limitTokens: number;
  /** whose earlier prompts this one may begin with, such as a session's id; null = nobody's */
  readonly conversation: string | null;
}

/** A conversation as the engine gets it, generation prompt included. */
export interface RenderedPrompt {
  /** exactly as they are sent; may exceed the limit somewhat */
  readonly ids: readonly number[];
  /** of the ids, those taken over from an earlier prompt of the conversation */
  readonly cachedTokens: number;
  /** the rendered text, special tokens spelled out */
  readonly text: string;
}

/** The tokenizer and chat template of one model folder. */
export interface ChatTokenizer {
  readonly modelName: string;
  /** positions of the model; the engine may allow fewer */
  readonly contextLength: number;
  readonly vocabularySize: number;
  /** end-of-answer tokens: sent to the engine as stops, kept in the record, never shown as text */
  readonly stopTokenIds: readonly number[];
  /** source of the template that prompts are rendered with */
  readonly chatTemplate: string;
  /**
   * Prompt of a conversation. The ids are those of encoding the whole rendering, whatever was cached; special tokens
   * that a user or a tool's result spells out are plain text in them.
   */
  renderPrompt(
    messages: readonly ChatMessage[],
    options: RenderOptions,
  ): Result<RenderedPrompt, TemplateRefusal | PromptTooLong>;
  /** Its conversation is over: nothing of it is kept for a next turn. */
  forgetConversation(conversation: string): void;
  encode(text: string): number[];
  /** @param keep - texts of special tokens that are shown all the same, because something reads them; default: none */
  createDecoder(keep?: readonly string[]): IncrementalDecoder;
  /** Text of each token for display; special tokens by name, bytes of a split character on its last token. */
  describeTokens(tokenIds: readonly number[]): string[];
}
