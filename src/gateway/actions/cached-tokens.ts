import type { AnswerHead } from '../../shared/domain/answer';

/** More answers than clients retry; older ones are replayed as if nothing had been cached. */
const MOST_ANSWERS = 10_000;

/**
 * How many prompt tokens of recent answers came from an earlier rendering, so that a replay bills what the answer did.
 *
 * Not worth a column: after a restart a replay counts every prompt token as read anew, and the sum is the same.
 */
export class CachedTokens {
  readonly #counts = new Map<string, number>();

  note({ id, cachedTokens }: Pick<AnswerHead, 'id' | 'cachedTokens'>): void {
    // What is not noted reads as 0.
    if (cachedTokens === 0) return;
    this.#counts.set(id, cachedTokens);
    if (this.#counts.size <= MOST_ANSWERS) return;
    const [oldest] = this.#counts.keys();
    if (oldest !== undefined) this.#counts.delete(oldest);
  }

  find(id: string | undefined): number {
    return (id === undefined ? undefined : this.#counts.get(id)) ?? 0;
  }
}
