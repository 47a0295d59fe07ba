import type { ChatMessage } from '../../../shared/domain/interaction';
import { err, ok, type Result } from '../../../shared/lib/result';
import type { ChatCompletionRequest } from '../../../shared/wire/openai-chat';

/** A chat completion request in the gateway's own words; every default is filled in. */
export interface ChatCall {
  /** null-valued keys removed */
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly unknown[] | null;
  readonly temperature: number;
  readonly topP: number;
  readonly frequencyPenalty: number;
  readonly presencePenalty: number;
  /** null = the gateway's default */
  readonly maxNewTokens: number | null;
  readonly stopStrings: readonly string[];
  readonly seed: number | null;
  readonly stream: boolean;
  /**
   * Sampled with anything but temperature: log-probs are then not of the distribution that was sampled from. Greedy
   * sampling counts too, because engines report its log-probs at temperature 1.
   */
  readonly distorted: boolean;
}

/** A parameter with a meaning we know and cannot honour. */
export interface UnsupportedParameter {
  readonly param: string;
  readonly message: string;
}

/** Translates OpenAI's request. Unknown parameters are ignored, as OpenAI-compatible servers do. */
export function toChatCall(
  request: ChatCompletionRequest,
  messages: readonly ChatMessage[],
): Result<ChatCall, UnsupportedParameter> {
  if ((request.n ?? 1) !== 1)
    return err({
      param: 'n',
      message: `n = ${request.n} is not supported: ask once per completion, so that each one can be rated on its own.`,
    });
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
    messages,
    tools: request.tools ?? null,
    temperature,
    topP,
    frequencyPenalty,
    presencePenalty,
    maxNewTokens: maxCompletionTokens ?? maxTokens ?? null,
    stopStrings: (typeof request.stop === 'string' ? [request.stop] : (request.stop ?? [])).filter(
      (stop) => stop !== '',
    ),
    seed: request.seed ?? null,
    stream: request.stream === true,
    distorted: topP !== 1 || frequencyPenalty !== 0 || presencePenalty !== 0 || temperature < 1e-6,
  });
}
