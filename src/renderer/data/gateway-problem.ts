import { errorBodySchema } from '../../shared/wire/errors';

/** Why the gateway gave no answer, with its own sentence where it gave one. */
export type GatewayProblem =
  /** the studio has not got an address yet: the gateway is starting, or could not */
  | { readonly kind: 'not-ready'; readonly message: string }
  | { readonly kind: 'unreachable'; readonly message: string }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string | null; readonly message: string }
  /** the answer is not what the contract says */
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'aborted'; readonly message: string };

/** A problem on its way through react-query, which knows only thrown errors. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  constructor(readonly problem: GatewayProblem) {
    super(problem.message);
  }
}

/** The problem inside anything thrown by a query or mutation. */
export function problemOf(error: unknown): GatewayProblem {
  if (error instanceof GatewayError) return error.problem;
  return { kind: 'unreadable', message: error instanceof Error ? error.message : String(error) };
}

/** Reads an error reply of any shape; the gateway's sentence wins over the status line. */
export function refusalOf(status: number, body: unknown): GatewayProblem {
  const parsed = errorBodySchema.safeParse(body);
  if (parsed.success) {
    const { message, code } = parsed.data.error;
    return { kind: 'refused', status, code, message };
  }
  return { kind: 'refused', status, code: null, message: `HTTP ${status}` };
}

export function failureOf(error: unknown): GatewayProblem {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && error.name === 'AbortError') return { kind: 'aborted', message };
  return { kind: 'unreachable', message };
}
