import type { AnswerDelta } from '../../shared/domain/answer';
import type { ToolDefinition } from '../../shared/domain/chat-call';

/** Families of answer formats: how a model writes tool calls and thinking. */
export type AnswerFormatName = 'plain' | 'qwen' | 'qwen-coder' | 'hermes' | 'llama' | 'deepseek';

export interface ParserOptions {
  /** empty, or tool choice none: tool tags are ordinary text */
  readonly tools: readonly ToolDefinition[];
  /** the prompt ended inside the think tags, as some templates do */
  readonly startsInReasoning: boolean;
  /** the prompt ended with this forced opening of a tool call; '' = none */
  readonly forcedOpening: string;
  readonly newToolCallId: () => string;
}

/**
 * Takes one answer apart while its text arrives; one per answer.
 *
 * For every text and every way of cutting it, the concatenated deltas are the same, and no delta holds a part of a tag.
 */
export interface AnswerParser {
  push(text: string): AnswerDelta[];
  /** No more text: whatever was held back is told as what it turned out to be. Broken calls become plain content. */
  finish(): AnswerDelta[];
  /** tool calls that are complete */
  readonly completeToolCalls: number;
  /** inside the think tags now */
  readonly isReasoning: boolean;
}

/** One family's way of writing answers. */
export interface AnswerFormat {
  readonly name: AnswerFormatName;
  /** texts of special tokens that the decoder has to keep for the parser */
  readonly markers: readonly string[];
  createParser(options: ParserOptions): AnswerParser;
  /** Text behind the prompt that makes the model call a tool (this one when named); null when the format cannot. */
  forcedOpening(toolName: string | null): string | null;
}
