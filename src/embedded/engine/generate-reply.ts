import type { GenerateRequest } from './generate-request';
import type { LogprobPair, OutputToken, Sequence, TokenEvidence } from './sequence';

/** What a reply needs besides the sequence. */
export interface ReplyContext {
  readonly request: GenerateRequest;
  /** label of the weights now served, used when there is no token to take it from */
  readonly servedVersion: string;
  readonly nowMs: number;
  readonly decode: (ids: readonly number[]) => string;
}

/** The reply for output tokens `from …` of a sequence: all of it (whole) or what is new (streamed). */
export function generateReply(sequence: Sequence, from: number, context: ReplyContext): object {
  const { request } = context;
  const tokens = sequence.output.slice(from);
  const isFinal = sequence.finish !== null;
  return {
    text: tokens.map((token) => token.text).join('') + (isFinal ? sequence.tailText : ''),
    output_ids: tokens.map((token) => token.id),
    meta_info: {
      id: request.call.rid,
      finish_reason: sequence.finish,
      prompt_tokens: request.call.promptIds.length,
      completion_tokens: sequence.output.length,
      cached_tokens: sequence.reused,
      weight_version:
        (tokens[tokens.length - 1] ?? sequence.output[sequence.output.length - 1])?.version ?? context.servedVersion,
      ...(isFinal ? { weight_versions: versionSpans(sequence.output) } : {}),
      ...(request.wantsLogprobs ? logprobFields(sequence, tokens, context) : {}),
      ...(isFinal ? { num_retractions: sequence.retractions, e2e_latency: latency(sequence, context.nowMs) } : {}),
    },
    ...(request.wantsPromptIds ? { prompt_token_ids: request.call.promptIds } : {}),
  };
}

export interface VersionSpan {
  readonly version: string;
  readonly start: number;
  readonly end: number;
}

/** Runs of equal versions over the output, contiguous, end exclusive. */
export function versionSpans(tokens: readonly Pick<OutputToken, 'version'>[]): VersionSpan[] {
  const spans: VersionSpan[] = [];
  tokens.forEach(({ version }, i) => {
    const last = spans[spans.length - 1];
    if (last?.version === version) spans[spans.length - 1] = { ...last, end: i + 1 };
    else spans.push({ version, start: i, end: i + 1 });
  });
  return spans;
}

function logprobFields(sequence: Sequence, tokens: readonly OutputToken[], context: ReplyContext): object {
  const { request, decode } = context;
  const textOf = (id: number) => (request.wantsLogprobText ? decode([id]) : null);
  const tuple = ({ logprob, id }: TokenEvidence) => [logprob, id, textOf(id)];
  const pairs = (list: readonly LogprobPair[] | null) =>
    list?.map(([logprob, id]) => [logprob, id, textOf(id)]) ?? null;
  const prompt = sequence.promptEvidence;
  return {
    input_token_logprobs: prompt.map(tuple),
    output_token_logprobs: tokens.map(tuple),
    output_token_logprobs_length: tokens.length,
    ...(request.call.topLogprobs > 0
      ? {
          input_top_logprobs: prompt.map(({ top }) => pairs(top)),
          output_top_logprobs: tokens.map(({ top }) => pairs(top)),
        }
      : {}),
    ...(request.call.logprobIds.length > 0
      ? {
          input_token_ids_logprobs: prompt.map(({ chosen }) => pairs(chosen)),
          output_token_ids_logprobs: tokens.map(({ chosen }) => pairs(chosen)),
        }
      : {}),
  };
}

function latency(sequence: Sequence, nowMs: number): number {
  return Math.max(0, nowMs - sequence.startedAtMs) / 1000;
}
