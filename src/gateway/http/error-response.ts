import type { ErrorBody } from '../../shared/wire/errors';
import { REFUSALS, type Refusal } from '../platform/refusal';

/** Renders a refusal for both kinds of client: AReaL's `detail` and OpenAI's `error`. */
export function errorResponse(refusal: Refusal, headers: Readonly<Record<string, string>> = {}): Response {
  const { status } = REFUSALS[refusal.kind];
  return Response.json(errorBody(refusal), {
    status,
    headers: { ...retryHeaders(refusal), ...headers },
  });
}

/** When to come back, where coming back helps. */
export function retryHeaders({ kind, retryAfter }: Refusal): Record<string, string> {
  const seconds = retryAfter ?? (REFUSALS[kind].status === 503 ? 2 : null);
  return seconds === null ? {} : { 'retry-after': String(Math.max(1, Math.ceil(seconds))) };
}

/** The JSON body of {@link errorResponse}; also the last event of a stream that fails after it began. */
export function errorBody(refusal: Refusal): ErrorBody {
  const { type, code } = REFUSALS[refusal.kind];
  const { message } = refusal;
  return { detail: message, error: { message, type, param: refusal.param ?? null, code } };
}
