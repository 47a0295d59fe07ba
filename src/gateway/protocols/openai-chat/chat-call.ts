import type { ChatCall, ToolChoice, ToolDefinition, UnsupportedParameter } from '../../../shared/domain/chat-call';
import type { ChatMessage } from '../../../shared/domain/interaction';
import { err, ok, type Result } from '../../../shared/lib/result';
import type { ChatCompletionRequest } from '../../../shared/wire/openai-chat';

/** Translates OpenAI's request. Unknown parameters are ignored, as OpenAI-compatible servers do. */
export function toChatCall(
  request: ChatCompletionRequest,
  messages: readonly ChatMessage[],
): Result<ChatCall, UnsupportedParameter> {
  const { max_tokens: maxTokens, max_completion_tokens: maxCompletionTokens } = request;
  if (typeof maxTokens === 'number' && typeof maxCompletionTokens === 'number' && maxTokens !== maxCompletionTokens)
    return err({
      param: 'max_tokens',
      message: `max_tokens = ${maxTokens} and max_completion_tokens = ${maxCompletionTokens} contradict each other: send one.`,
    });
  const temperature = request.temperature ?? 1;
  const topP = request.top_p ?? 1;
  const frequencyPenalty = request.frequency_penalty ?? 0;
  const presencePenalty = request.presence_penalty ?? 0;
  return ok({
    dialect: 'chat',
    messages,
    tools: toTools(request.tools ?? []),
    toolChoice: toToolChoice(request.tool_choice),
    parallelToolCalls: request.parallel_tool_calls ?? true,
    responseFormat: { kind: 'text' },
    n: request.n ?? 1,
    temperature,
    topP,
    topK: null,
    frequencyPenalty,
    presencePenalty,
    maxNewTokens: maxCompletionTokens ?? maxTokens ?? null,
    stopStrings: (typeof request.stop === 'string' ? [request.stop] : (request.stop ?? [])).filter(
      (stop) => stop !== '',
    ),
    seed: request.seed ?? null,
    topLogprobs: null,
    templateValues: {},
    metadata: request.metadata ?? null,
    distorted: topP !== 1 || frequencyPenalty !== 0 || presencePenalty !== 0 || temperature < 1e-6,
  });
}

function toTools(tools: NonNullable<ChatCompletionRequest['tools']>): ToolDefinition[] {
  return tools.map(({ function: tool }) => ({
    name: tool.name,
    description: tool.description ?? null,
    parameters: tool.parameters ?? null,
  }));
}

function toToolChoice(choice: ChatCompletionRequest['tool_choice']): ToolChoice {
  if (choice === 'none' || choice === 'required') return { kind: choice };
  return typeof choice === 'object' && choice !== null
    ? { kind: 'named', name: choice.function.name }
    : { kind: 'auto' };
}
