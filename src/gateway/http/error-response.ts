import type { ErrorBody } from '../../shared/wire/errors';
import { REFUSALS, type Refusal } from '../platform/refusal';

/** Renders a refusal for both kinds of client: AReaL's `detail` and OpenAI's `error`. */
export function errorResponse(refusal: Refusal, headers: Readonly<Record<string, string>> = {}): Response {
  const { status } = REFUSALS[refusal.kind];
  return Response.json(errorBody(refusal), {
    status,
    headers: { ...(status === 503 ? { 'retry-after': '2' } : {}), ...headers },
  });
}

/** The JSON body of {@link errorResponse}; also the last event of a stream that fails after it began. */
export function errorBody(refusal: Refusal): ErrorBody {
  const { type, code } = REFUSALS[refusal.kind];
  const { message } = refusal;
  return { detail: message, error: { message, type, param: refusal.param ?? null, code } };
}
