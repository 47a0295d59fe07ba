import type { AnswerHead } from '../../../shared/domain/answer';
import { toAnswerId } from '../../../shared/domain/answer-ids';
import type { VersionRun } from '../../../shared/domain/version-runs';
import type { ResponseBody, ResponseRequest } from '../../../shared/wire/openai-responses';

/** A response that has only begun: everything it repeats of its request, and no output. */
export function beginBody(head: AnswerHead, request: ResponseRequest): ResponseBody {
  return {
    id: toAnswerId('resp', head.id),
    object: 'response',
    created_at: Math.floor(head.createdAt / 1000),
    completed_at: null,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    model: head.model,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    store: request.store ?? true,
    temperature: request.temperature ?? 1,
    text: { format: request.text?.format ?? { type: 'text' } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: request.tools ?? [],
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? 1,
    // Whatever was asked for: nothing is ever cut.
    truncation: 'disabled',
    usage: null,
    metadata: request.metadata ?? {},
    background: false,
    plaudit: extension(head, []),
  };
}

/** Which interaction this is, and which weights sampled what. */
export function extension(head: AnswerHead, versionRuns: readonly VersionRun[]): ResponseBody['plaudit'] {
  return {
    session_id: head.sessionId,
    interaction_id: head.id,
    version_rle: versionRuns.map(([version, length]) => [version, length]),
  };
}
