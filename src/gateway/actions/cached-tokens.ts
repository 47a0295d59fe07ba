import type { AnswerHead } from '../../shared/domain/answer';

/** More answers than clients retry; older ones are replayed as if nothing had been cached. */
const MOST_ANSWERS = 10_000;

/**
 * How many prompt tokens of recent answers came from an earlier rendering, so that a replay bills what the answer did.
 *
 * Not worth a column: after a restart a replay counts every prompt token as read anew, and the sum is the same.
 */
export class CachedTokens {
  /** by answer, oldest first */
  readonly #counts = new Map<string, { readonly sessionId: string; readonly cachedTokens: number }>();
  readonly #bySession = new Map<string, Set<string>>();

  /** answers remembered */
  get size(): number {
    return this.#counts.size;
  }

  note({ id, sessionId, cachedTokens }: Pick<AnswerHead, 'id' | 'sessionId' | 'cachedTokens'>): void {
    // What is not noted reads as 0.
    if (cachedTokens === 0) return;
    this.#counts.set(id, { sessionId, cachedTokens });
    this.#bySession.set(sessionId, (this.#bySession.get(sessionId) ?? new Set()).add(id));
    if (this.#counts.size <= MOST_ANSWERS) return;
    const [oldest] = this.#counts;
    if (oldest !== undefined) this.#drop(oldest[0], oldest[1].sessionId);
  }

  find(id: string | undefined): number {
    return (id === undefined ? undefined : this.#counts.get(id))?.cachedTokens ?? 0;
  }

  /** The session is over: nobody can ask for its answers again. */
  forget(session: string): void {
    for (const id of this.#bySession.get(session) ?? []) this.#counts.delete(id);
    this.#bySession.delete(session);
  }

  #drop(id: string, session: string): void {
    this.#counts.delete(id);
    const ids = this.#bySession.get(session);
    ids?.delete(id);
    if (ids?.size === 0) this.#bySession.delete(session);
  }
}
