import type {
  ChatCall,
  ResponseFormat,
  ToolChoice,
  ToolDefinition,
  UnsupportedParameter,
} from '../../../shared/domain/chat-call';
import type { ChatMessage } from '../../../shared/domain/interaction';
import { err, ok, type Result } from '../../../shared/lib/result';
import type { ResponseRequest } from '../../../shared/wire/openai-responses';
import { type ItemFinder, toMessages } from './input-messages';

/** What a response continues, read from the store by the route. */
export interface ResponseContext {
  /** messages of the responses before, instructions left out: they are not inherited */
  readonly history: readonly ChatMessage[];
  readonly findItem: ItemFinder;
}

export interface ResponsesCall {
  readonly call: ChatCall;
  /** this request's own messages, without instructions and history */
  readonly ownMessages: readonly ChatMessage[];
}

/**
 * Translates OpenAI's request. Unknown parameters are ignored; those whose meaning we know and cannot honour are refused.
 *
 * `truncation: auto` is accepted, but nothing is ever cut: a conversation that does not fit is refused.
 */
export function toResponsesCall(
  request: ResponseRequest,
  { history, findItem }: ResponseContext,
): Result<ResponsesCall, UnsupportedParameter> {
  const problem = findUnsupported(request);
  if (problem !== null) return err(problem);
  if (request.input === undefined || request.input === null)
    return refuse('input', "Missing required parameter: 'input'.");
  const own = toMessages(request.input, findItem);
  if (!own.ok) return own;
  if (own.value.length + history.length === 0) return refuse('input', 'input is empty: there is nothing to answer.');
  const tools = toTools(request.tools ?? []);
  if (!tools.ok) return tools;
  const toolChoice = toToolChoice(request.tool_choice ?? 'auto', tools.value);
  if (!toolChoice.ok) return toolChoice;
  const responseFormat = toResponseFormat(request.text?.format ?? { type: 'text' });
  if (!responseFormat.ok) return responseFormat;

  const { instructions } = request;
  const system =
    typeof instructions === 'string' && instructions !== '' ? [{ role: 'system', content: instructions }] : [];
  const temperature = request.temperature ?? 1;
  const topP = request.top_p ?? 1;
  return ok({
    ownMessages: own.value,
    call: {
      dialect: 'responses',
      messages: [...system, ...history, ...own.value],
      tools: tools.value,
      toolChoice: toolChoice.value,
      parallelToolCalls: request.parallel_tool_calls ?? true,
      responseFormat: responseFormat.value,
      n: 1,
      temperature,
      topP,
      topK: null,
      frequencyPenalty: 0,
      presencePenalty: 0,
      maxNewTokens: request.max_output_tokens ?? null,
      stopStrings: [],
      seed: null,
      topLogprobs: asksForLogprobs(request) ? (request.top_logprobs ?? 0) : null,
      templateValues: { ...reasoningValues(request.reasoning?.effort ?? null), ...request.chat_template_kwargs },
      metadata: request.metadata ?? null,
      distorted: topP !== 1 || temperature < 1e-6,
    },
  });
}

function refuse(param: string, message: string): Result<never, UnsupportedParameter> {
  return err({ param, message });
}

function findUnsupported(request: ResponseRequest): UnsupportedParameter | null {
  if (request.background === true)
    return { param: 'background', message: 'background = true is not supported: wait for the answer or stream it.' };
  for (const param of ['conversation', 'prompt'] as const)
    if (request[param] !== undefined && request[param] !== null)
      return { param, message: `${param} is not supported: send the messages as input, or previous_response_id.` };
  return null;
}

function asksForLogprobs(request: ResponseRequest): boolean {
  return (request.top_logprobs ?? 0) > 0 || (request.include ?? []).includes('message.output_text.logprobs');
}

function reasoningValues(effort: string | null): Record<string, unknown> {
  return effort === null ? {} : { enable_thinking: effort !== 'none', reasoning_effort: effort };
}

function toTools(tools: NonNullable<ResponseRequest['tools']>): Result<ToolDefinition[], UnsupportedParameter> {
  const result: ToolDefinition[] = [];
  for (const [index, tool] of tools.entries()) {
    const param = `tools[${index}]`;
    if (tool.type !== 'function')
      return refuse(`${param}.type`, `Tools of type ${tool.type} are not supported: only functions are.`);
    if (typeof tool.name !== 'string' || tool.name === '') return refuse(`${param}.name`, `${param} needs a name.`);
    result.push({ name: tool.name, description: tool.description ?? null, parameters: tool.parameters ?? null });
  }
  return ok(result);
}

function toToolChoice(
  choice: NonNullable<ResponseRequest['tool_choice']>,
  tools: readonly ToolDefinition[],
): Result<ToolChoice, UnsupportedParameter> {
  if (choice === 'auto' || choice === 'none') return ok({ kind: choice });
  if (choice === 'required')
    return tools.length > 0 ? ok({ kind: choice }) : refuse('tool_choice', 'tool_choice = required needs tools.');
  const { type, name } = typeof choice === 'string' ? { type: choice, name: null } : choice;
  if (type !== 'function' || typeof name !== 'string')
    return refuse('tool_choice', `tool_choice ${type} is not supported: auto, none, required or a function are.`);
  return tools.some((tool) => tool.name === name)
    ? ok({ kind: 'named', name })
    : refuse('tool_choice', `tool_choice names the function ${name}, which is not among the tools.`);
}

function toResponseFormat(format: {
  readonly type: string;
  readonly schema?: Record<string, unknown> | null;
}): Result<ResponseFormat, UnsupportedParameter> {
  switch (format.type) {
    case 'text':
      return ok({ kind: 'text' });
    case 'json_object':
      return ok({ kind: 'json-object' });
    case 'json_schema':
      return format.schema === undefined || format.schema === null
        ? refuse('text.format.schema', 'text.format of type json_schema needs a schema.')
        : ok({ kind: 'json-schema', schema: format.schema });
    default:
      return refuse('text.format.type', `text.format of type ${format.type} is not supported.`);
  }
}
