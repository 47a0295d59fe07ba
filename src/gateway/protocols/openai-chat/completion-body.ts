import type { FinishReason } from '../../../shared/domain/interaction';
import type { VersionRun } from '../../../shared/domain/version-runs';
import type { ChatCompletion, ChatCompletionChunk } from '../../../shared/wire/openai-chat';

/** What every body of one completion repeats. */
export interface CompletionHead {
  /** the interaction's id: what is rated is what the client received */
  readonly id: string;
  readonly sessionId: string;
  /** milliseconds since the epoch */
  readonly createdAt: number;
  readonly model: string;
}

export interface CompletionEnd {
  readonly finishReason: FinishReason;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly versionRuns: readonly VersionRun[];
}

/** The whole reply of a call that does not stream. */
export function completionBody(head: CompletionHead, text: string, end: CompletionEnd): ChatCompletion {
  return {
    id: head.id,
    object: 'chat.completion',
    created: Math.floor(head.createdAt / 1000),
    model: head.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text },
        logprobs: null,
        finish_reason: wireFinishReason(end.finishReason),
      },
    ],
    usage: usage(end),
    plaudit: extension(head, end.versionRuns),
  };
}

/** The first chunk: it carries the id before any text exists. */
export function roleChunk(head: CompletionHead): ChatCompletionChunk {
  return chunk(head, { role: 'assistant', content: '' }, null, []);
}

/** A piece of text, with the version runs of all tokens so far. */
export function textChunk(head: CompletionHead, text: string, versionRuns: readonly VersionRun[]): ChatCompletionChunk {
  return chunk(head, { content: text }, null, versionRuns);
}

/** The last chunk before `[DONE]`. Usage is always there: AReaL's service sends it without being asked. */
export function finalChunk(head: CompletionHead, end: CompletionEnd): ChatCompletionChunk {
  return { ...chunk(head, {}, wireFinishReason(end.finishReason), end.versionRuns), usage: usage(end) };
}

function chunk(
  head: CompletionHead,
  delta: ChatCompletionChunk['choices'][number]['delta'],
  finishReason: 'stop' | 'length' | null,
  versionRuns: readonly VersionRun[],
): ChatCompletionChunk {
  return {
    id: head.id,
    object: 'chat.completion.chunk',
    created: Math.floor(head.createdAt / 1000),
    model: head.model,
    choices: [{ index: 0, delta, finish_reason: finishReason }],
    plaudit: extension(head, versionRuns),
  };
}

function extension(head: CompletionHead, versionRuns: readonly VersionRun[]): ChatCompletion['plaudit'] {
  return { session_id: head.sessionId, version_rle: versionRuns.map(([version, length]) => [version, length]) };
}

function usage(end: CompletionEnd): ChatCompletion['usage'] {
  return {
    prompt_tokens: end.promptTokens,
    completion_tokens: end.completionTokens,
    total_tokens: end.promptTokens + end.completionTokens,
  };
}

/** OpenAI has no word for an abort: the answer was cut short, as by a budget. */
function wireFinishReason(reason: FinishReason): 'stop' | 'length' {
  return reason === 'stop' ? 'stop' : 'length';
}
