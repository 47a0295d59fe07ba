import type {
  ChatCall,
  ResponseFormat,
  ToolChoice,
  ToolDefinition,
  UnsupportedParameter,
} from '../../../shared/domain/chat-call';
import { err, ok, type Result } from '../../../shared/lib/result';
import type { CountTokensRequest, MessagesRequest } from '../../../shared/wire/anthropic-messages';
import { toMessages } from './input-messages';

/**
 * Translates Anthropic's request; one without `max_tokens` (to count tokens) is a call that is only rendered.
 *
 * Unknown parameters and `cache_control` are ignored; those whose meaning we know and cannot honour are refused.
 */
export function toMessagesCall(
  request: CountTokensRequest & Partial<MessagesRequest>,
): Result<ChatCall, UnsupportedParameter> {
  if ((request.mcp_servers ?? []).length > 0)
    return refuse('mcp_servers', 'mcp_servers is not supported: call the servers yourself and send their tools.');
  const messages = toMessages(request);
  if (!messages.ok) return messages;
  const tools = toTools(request.tools ?? []);
  if (!tools.ok) return tools;
  const toolChoice = toToolChoice(request.tool_choice ?? { type: 'auto' }, tools.value);
  if (!toolChoice.ok) return toolChoice;
  const responseFormat = toResponseFormat(request.output_config?.format ?? null);
  if (!responseFormat.ok) return responseFormat;
  const temperature = request.temperature ?? 1;
  const topP = request.top_p ?? 1;
  // Anthropic's clients send 0 for off.
  const topK = request.top_k === 0 ? null : (request.top_k ?? null);
  const userId = request.metadata?.user_id;
  return ok({
    dialect: 'messages',
    messages: messages.value,
    tools: tools.value,
    toolChoice: toolChoice.value,
    parallelToolCalls: request.tool_choice?.disable_parallel_tool_use !== true,
    responseFormat: responseFormat.value,
    n: 1,
    temperature,
    topP,
    topK,
    frequencyPenalty: 0,
    presencePenalty: 0,
    maxNewTokens: request.max_tokens ?? null,
    stopStrings: (request.stop_sequences ?? []).filter((stop) => stop !== ''),
    seed: null,
    topLogprobs: null,
    templateValues: { ...thinkingValues(request), ...request.chat_template_kwargs },
    metadata: typeof userId === 'string' ? { user_id: userId } : null,
    distorted: topP !== 1 || topK !== null || temperature < 1e-6,
  });
}

function refuse(param: string, message: string): Result<never, UnsupportedParameter> {
  return err({ param, message: `${param}: ${message}` });
}

/** Without a thinking field the model's template decides: its default is what the policy was made with. */
function thinkingValues({ thinking, output_config: config }: CountTokensRequest): Record<string, unknown> {
  return {
    ...(thinking === undefined || thinking === null ? {} : { enable_thinking: thinking.type !== 'disabled' }),
    ...(typeof config?.effort === 'string' ? { reasoning_effort: config.effort } : {}),
  };
}

function toTools(tools: NonNullable<CountTokensRequest['tools']>): Result<ToolDefinition[], UnsupportedParameter> {
  const result: ToolDefinition[] = [];
  for (const [index, { type, name, description, input_schema: schema }] of tools.entries()) {
    if (typeof type === 'string' && type !== 'custom')
      return refuse(`tools.${index}.type`, `tools of type ${type} run on Anthropic's servers and are not supported.`);
    result.push({ name, description: description ?? null, parameters: schema ?? null });
  }
  return ok(result);
}

function toToolChoice(
  { type, name }: NonNullable<CountTokensRequest['tool_choice']>,
  tools: readonly ToolDefinition[],
): Result<ToolChoice, UnsupportedParameter> {
  switch (type) {
    case 'auto':
    case 'none':
      return ok({ kind: type });
    case 'any':
      return tools.length > 0 ? ok({ kind: 'required' }) : refuse('tool_choice', 'type any needs tools.');
    case 'tool':
      if (typeof name !== 'string') return refuse('tool_choice.name', 'type tool needs the name of one.');
      return tools.some((tool) => tool.name === name)
        ? ok({ kind: 'named', name })
        : refuse('tool_choice.name', `${name} is not among the tools.`);
    default:
      return refuse('tool_choice.type', `${type} is not auto, any, tool or none.`);
  }
}

function toResponseFormat(
  format: { readonly type: string; readonly schema?: Record<string, unknown> | null } | null,
): Result<ResponseFormat, UnsupportedParameter> {
  if (format === null) return ok({ kind: 'text' });
  if (format.type !== 'json_schema' || format.schema === undefined || format.schema === null)
    return refuse('output_config.format', 'only type json_schema with a schema is supported.');
  return ok({ kind: 'json-schema', schema: format.schema });
}
