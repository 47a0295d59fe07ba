import type {
  ChatCall,
  ResponseFormat,
  ToolChoice,
  ToolDefinition,
  UnsupportedParameter,
} from '../../../shared/domain/chat-call';
import type { ChatMessage } from '../../../shared/domain/interaction';
import { err, ok, type Result } from '../../../shared/lib/result';
import type { ChatCompletionRequest } from '../../../shared/wire/openai-chat';

/**
 * Translates OpenAI's request. Unknown parameters are ignored, as OpenAI-compatible servers do; known ones that cannot be
 * honoured and would change the answer are named.
 */
export function toChatCall(
  request: ChatCompletionRequest,
  messages: readonly ChatMessage[],
): Result<ChatCall, UnsupportedParameter> {
  const refused = findUnsupported(request);
  if (refused !== null) return err(refused);
  const temperature = request.temperature ?? 1;
  const topP = request.top_p ?? 1;
  const topK = (request.top_k ?? 0) > 0 ? (request.top_k ?? null) : null;
  const frequencyPenalty = request.frequency_penalty ?? 0;
  const presencePenalty = request.presence_penalty ?? 0;
  return ok({
    dialect: 'chat',
    messages,
    tools: toTools(request.tools ?? []),
    toolChoice: toToolChoice(request.tool_choice),
    parallelToolCalls: request.parallel_tool_calls ?? true,
    responseFormat: toResponseFormat(request.response_format),
    n: request.n ?? 1,
    temperature,
    topP,
    topK,
    frequencyPenalty,
    presencePenalty,
    maxNewTokens: request.max_completion_tokens ?? request.max_tokens ?? null,
    stopStrings: (typeof request.stop === 'string' ? [request.stop] : (request.stop ?? [])).filter(
      (stop) => stop !== '',
    ),
    seed: request.seed ?? null,
    topLogprobs: request.logprobs === true ? (request.top_logprobs ?? 0) : null,
    templateValues: request.chat_template_kwargs ?? {},
    metadata: toMetadata(request.metadata ?? null),
    distorted: topP !== 1 || topK !== null || frequencyPenalty !== 0 || presencePenalty !== 0 || temperature < 1e-6,
  });
}

function findUnsupported(request: ChatCompletionRequest): UnsupportedParameter | null {
  const { max_tokens: maxTokens, max_completion_tokens: maxCompletionTokens, tools, tool_choice: choice } = request;
  if (typeof maxTokens === 'number' && typeof maxCompletionTokens === 'number' && maxTokens !== maxCompletionTokens)
    return {
      param: 'max_tokens',
      message: `max_tokens = ${maxTokens} and max_completion_tokens = ${maxCompletionTokens} contradict each other: send one.`,
    };
  if (Object.keys(request.logit_bias ?? {}).length > 0)
    return {
      param: 'logit_bias',
      message: 'logit_bias is not supported: log-probs would no longer be those of the policy. Leave it out.',
    };
  if ((request.top_logprobs ?? 0) > 0 && request.logprobs !== true)
    return { param: 'top_logprobs', message: 'top_logprobs needs logprobs = true.' };
  if ((request.functions ?? []).length > 0)
    return { param: 'functions', message: 'functions is the old form of tools: send tools.' };
  if (request.modalities?.some((modality) => modality !== 'text') === true)
    return { param: 'modalities', message: 'This model answers in text only: leave modalities out.' };
  return findToolProblem(tools ?? [], choice);
}

function findToolProblem(
  tools: NonNullable<ChatCompletionRequest['tools']>,
  choice: ChatCompletionRequest['tool_choice'],
): UnsupportedParameter | null {
  if (choice === 'required' && tools.length === 0)
    return { param: 'tool_choice', message: "tool_choice 'required' needs tools to choose from." };
  if (typeof choice !== 'object' || choice === null) return null;
  const { name } = choice.function;
  return tools.some((tool) => tool.function.name === name)
    ? null
    : { param: 'tool_choice', message: `tool_choice names '${name}', which is none of the tools.` };
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

function toResponseFormat(format: ChatCompletionRequest['response_format']): ResponseFormat {
  switch (format?.type) {
    case undefined:
    case 'text':
      return { kind: 'text' };
    case 'json_object':
      return { kind: 'json-object' };
    case 'json_schema':
      return { kind: 'json-schema', schema: format.json_schema.schema ?? {} };
  }
}

/** Values are text in OpenAI's metadata; whatever else a client sends is kept as JSON. */
function toMetadata(metadata: Readonly<Record<string, unknown>> | null): Record<string, string> | null {
  if (metadata === null) return null;
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}
