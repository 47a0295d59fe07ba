/** Every expected refusal of the gateway, with its HTTP status and OpenAI error type. */
export const REFUSALS = {
  unauthorized: { status: 401, type: 'invalid_request_error', code: 'unauthorized' },
  'not-admin': { status: 403, type: 'invalid_request_error', code: 'not_admin' },
  'invalid-session-key': { status: 401, type: 'invalid_request_error', code: 'invalid_api_key' },
  'admin-key-as-session-key': { status: 400, type: 'invalid_request_error', code: 'admin_key_as_session_key' },
  'bad-json': { status: 400, type: 'invalid_request_error', code: 'bad_json' },
  'body-cut-off': { status: 400, type: 'invalid_request_error', code: 'body_cut_off' },
  'bad-body': { status: 422, type: 'invalid_request_error', code: 'bad_body' },
  'bad-request': { status: 400, type: 'invalid_request_error', code: 'bad_request' },
  'media-type': { status: 422, type: 'invalid_request_error', code: 'unsupported_media_type' },
  'content-encoding': { status: 415, type: 'invalid_request_error', code: 'unsupported_content_encoding' },
  'body-too-large': { status: 413, type: 'invalid_request_error', code: 'body_too_large' },
  'context-length': { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' },
  'unsupported-parameter': { status: 400, type: 'invalid_request_error', code: 'unsupported_parameter' },
  'not-found': { status: 404, type: 'invalid_request_error', code: 'not_found' },
  'method-not-allowed': { status: 405, type: 'invalid_request_error', code: 'method_not_allowed' },
  'previous-response-not-found': { status: 400, type: 'invalid_request_error', code: 'previous_response_not_found' },
  'interaction-not-found': { status: 400, type: 'invalid_request_error', code: 'interaction_not_found' },
  'no-interactions': { status: 400, type: 'invalid_request_error', code: 'no_interactions' },
  'interaction-not-finished': { status: 409, type: 'invalid_request_error', code: 'interaction_not_finished' },
  'rating-held': { status: 409, type: 'invalid_request_error', code: 'rating_held' },
  'host-not-allowed': { status: 403, type: 'invalid_request_error', code: 'host_not_allowed' },
  'origin-not-allowed': { status: 403, type: 'invalid_request_error', code: 'origin_not_allowed' },
  'engine-refused': { status: 400, type: 'invalid_request_error', code: 'engine_refused' },
  'engine-unavailable': { status: 503, type: 'server_error', code: 'engine_unavailable' },
  'bad-evidence': { status: 502, type: 'server_error', code: 'bad_evidence' },
  'no-capacity': { status: 429, type: 'rate_limit_error', code: 'no_capacity' },
  'refresh-in-progress': { status: 429, type: 'rate_limit_error', code: 'refresh_in_progress' },
  'refresh-timeout': { status: 429, type: 'rate_limit_error', code: 'refresh_timeout' },
  'rate-limited': { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  'wait-timeout': { status: 408, type: 'invalid_request_error', code: 'wait_timeout' },
  'assignment-cancelled': { status: 503, type: 'server_error', code: 'assignment_cancelled' },
  'key-in-use': { status: 409, type: 'invalid_request_error', code: 'key_in_use' },
  'already-trained': { status: 409, type: 'invalid_request_error', code: 'already_trained' },
  'disk-full': { status: 507, type: 'server_error', code: 'disk_full' },
  'store-unavailable': { status: 503, type: 'server_error', code: 'store_unavailable' },
  closing: { status: 503, type: 'server_error', code: 'closing' },
  internal: { status: 500, type: 'server_error', code: 'internal_error' },
} as const;

/** Names of the refusals; a kind has one status, type and code. */
export type RefusalKind = keyof typeof REFUSALS;

/** Why a request was not done; `message` is a sentence that says what to do about it. */
export interface Refusal {
  readonly kind: RefusalKind;
  readonly message: string;
  /** the field of the request that is to blame */
  readonly param?: string;
  /** seconds after which trying again makes sense; sent as `Retry-After` */
  readonly retryAfter?: number;
}

/** Shorthand for a {@link Refusal}. */
export function refusal(kind: RefusalKind, message: string, param?: string): Refusal {
  return param === undefined ? { kind, message } : { kind, message, param };
}
