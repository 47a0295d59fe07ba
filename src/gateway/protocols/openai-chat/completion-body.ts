import type {
  AnswerDelta,
  AnswerEvent,
  AnswerHead,
  AnswerMessage,
  ChoiceEnd,
  TokenLogprob,
} from '../../../shared/domain/answer';
import type { VersionRun } from '../../../shared/domain/version-runs';
import type { ChatCompletion, ChatCompletionChunk } from '../../../shared/wire/openai-chat';

type Delta = Extract<AnswerEvent, { kind: 'delta' }>;
type End = Extract<AnswerEvent, { kind: 'end' }>;
type WireDelta = ChatCompletionChunk['choices'][number]['delta'];

/** The whole reply of a call that does not stream. */
export function completionBody(
  head: AnswerHead,
  choices: readonly (ChoiceEnd & { readonly logprobs: readonly TokenLogprob[] | null })[],
  end: End,
): ChatCompletion {
  const inOrder = [...choices].sort((left, right) => left.choice - right.choice);
  return {
    id: head.id,
    object: 'chat.completion',
    created: Math.floor(head.createdAt / 1000),
    model: head.model,
    choices: inOrder.map((choice) => ({
      index: choice.choice,
      message: toWireMessage(choice.message),
      logprobs: choice.logprobs === null ? null : toWireLogprobs(choice.logprobs),
      finish_reason: wireFinishReason(choice),
      plaudit: extension(head, choice.interactionId, choice.versionRuns),
    })),
    usage: usage(end),
    plaudit: extension(head, head.id, inOrder[0]?.versionRuns ?? []),
  };
}

/** The first chunk of a choice: it carries the id before any text exists. */
export function roleChunk(head: AnswerHead, choice: number): ChatCompletionChunk {
  return chunk(head, choice, { delta: { role: 'assistant', content: '' }, versionRuns: [] });
}

/** What an increment adds, one chunk per part, with the version runs of all tokens so far; log-probs on the first. */
export function deltaChunks(head: AnswerHead, event: Delta): ChatCompletionChunk[] {
  const { versionRuns, logprobs } = event;
  const parts: WireDelta[] = event.deltas.length === 0 ? [{}] : event.deltas.map(toWireDelta);
  return parts.map((delta, index) =>
    chunk(head, event.choice, { delta, versionRuns, logprobs: index === 0 ? logprobs : [] }),
  );
}

/** The end of a choice. */
export function finishChunk(head: AnswerHead, choice: ChoiceEnd): ChatCompletionChunk {
  return chunk(head, choice.choice, {
    delta: {},
    versionRuns: choice.versionRuns,
    finishReason: wireFinishReason(choice),
  });
}

/** OpenAI's own way to tell the usage of a stream: a chunk without choices. */
export function usageChunk(head: AnswerHead, end: End): ChatCompletionChunk {
  return { ...chunkHead(head), choices: [], usage: usage(end) };
}

/** Adds the usage of the whole answer. */
export function withUsage(last: ChatCompletionChunk, end: End): ChatCompletionChunk {
  return { ...last, usage: usage(end) };
}

function chunk(
  head: AnswerHead,
  choice: number,
  part: {
    readonly delta: WireDelta;
    readonly versionRuns: readonly VersionRun[];
    readonly finishReason?: 'stop' | 'length' | 'tool_calls';
    readonly logprobs?: readonly TokenLogprob[];
  },
): ChatCompletionChunk {
  const logprobs = part.logprobs ?? [];
  return {
    ...chunkHead(head),
    choices: [
      {
        index: choice,
        delta: part.delta,
        ...(logprobs.length === 0 ? {} : { logprobs: toWireLogprobs(logprobs) }),
        finish_reason: part.finishReason ?? null,
      },
    ],
    plaudit: extension(head, choice === 0 ? head.id : `${head.id}-${choice}`, part.versionRuns),
  };
}

function chunkHead(head: AnswerHead): Pick<ChatCompletionChunk, 'id' | 'object' | 'created' | 'model'> {
  return {
    id: head.id,
    object: 'chat.completion.chunk',
    created: Math.floor(head.createdAt / 1000),
    model: head.model,
  };
}

/** OpenAI's word for "less likely than can be said"; JSON has no infinity. */
const LEAST_LOGPROB = -9999;

function toWireLogprobs(tokens: readonly TokenLogprob[]): NonNullable<ChatCompletion['choices'][number]['logprobs']> {
  const toWire = ({ token, bytes, logprob }: Omit<TokenLogprob, 'top'>) => ({
    token,
    logprob: Number.isFinite(logprob) ? logprob : LEAST_LOGPROB,
    bytes: [...bytes],
  });
  return { content: tokens.map((token) => ({ ...toWire(token), top_logprobs: token.top.map(toWire) })), refusal: null };
}

function toWireDelta(delta: AnswerDelta): WireDelta {
  switch (delta.kind) {
    case 'content':
      return { content: delta.text };
    case 'reasoning':
      return { reasoning_content: delta.text };
    case 'tool-call':
      return {
        tool_calls: [
          { index: delta.index, id: delta.id, type: 'function', function: { name: delta.name, arguments: '' } },
        ],
      };
    case 'tool-arguments':
      return { tool_calls: [{ index: delta.index, function: { arguments: delta.text } }] };
  }
}

function toWireMessage({ content, reasoning, toolCalls }: AnswerMessage): ChatCompletion['choices'][number]['message'] {
  return {
    role: 'assistant',
    content: content === '' && toolCalls.length > 0 ? null : content,
    refusal: null,
    ...(reasoning === null ? {} : { reasoning_content: reasoning }),
    ...(toolCalls.length === 0
      ? {}
      : {
          tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({
            id,
            type: 'function' as const,
            function: { name, arguments: text },
          })),
        }),
  };
}

function extension(
  head: AnswerHead,
  interactionId: string,
  versionRuns: readonly VersionRun[],
): ChatCompletion['plaudit'] {
  return {
    session_id: head.sessionId,
    interaction_id: interactionId,
    version_rle: versionRuns.map(([version, length]) => [version, length]),
  };
}

function usage(end: End): ChatCompletion['usage'] {
  return {
    prompt_tokens: end.promptTokens,
    completion_tokens: end.completionTokens,
    total_tokens: end.promptTokens + end.completionTokens,
    prompt_tokens_details: { cached_tokens: end.cachedTokens },
    completion_tokens_details: { reasoning_tokens: end.reasoningTokens },
  };
}

/** OpenAI has no word for an abort: the answer was cut short, as by a budget. */
function wireFinishReason({ finishReason, message }: ChoiceEnd): 'stop' | 'length' | 'tool_calls' {
  if (finishReason !== 'stop') return 'length';
  return message.toolCalls.length > 0 ? 'tool_calls' : 'stop';
}
