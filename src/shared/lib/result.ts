/** An expected outcome that may be a refusal: refusals are values, exceptions are for bugs and a broken world. */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

/** A successful outcome. */
export const ok = <T>(value: T): Result<T, never> => ({ ok: true, value });

/** An expected refusal. */
export const err = <E>(error: E): Result<never, E> => ({ ok: false, error });
