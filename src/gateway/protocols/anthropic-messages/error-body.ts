import type { AnthropicError } from '../../../shared/wire/anthropic-messages';

/** Anthropic's error types by HTTP status. */
const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

/** An error as Anthropic's clients read it; also the last event of a stream that fails after it began. */
export function anthropicErrorBody(status: number, message: string, requestId: string | null): AnthropicError {
  const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return { type: 'error', error: { type, message }, request_id: requestId, detail: message };
}
