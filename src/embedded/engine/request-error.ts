/** A refusal with its status and its exact body; the HTTP layer sends both as they are. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  readonly body: object;

  constructor(status: number, message: string, body: object) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

/** A value that cannot be served: `{"error":{"message"}}`. */
export function invalidValue(message: string): RequestError {
  return new RequestError(400, message, { error: { message } });
}

/** A body that is not JSON or holds wrong types: the flat error object. */
export function malformed(message: string): RequestError {
  return new RequestError(400, message, { object: 'error', message, type: 'Bad Request', param: null, code: 400 });
}

/** Too much waiting, or stopping: the flat error object with 503. */
export function unavailable(message: string): RequestError {
  return new RequestError(503, message, { object: 'error', message, type: '503', param: null, code: 503 });
}
