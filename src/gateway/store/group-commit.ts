import type { Database } from './database';

interface Waiting {
  readonly work: () => unknown;
  readonly isOneStatement: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Commits what many callers ask for in one turn of the event loop together: one transaction instead of one each.
 *
 * One caller's failure is its own: when the joint transaction fails, each work is committed alone, in its turn. So a work
 * may run twice, and must do nothing but read and write the database.
 */
export class GroupCommit {
  #waiting: Waiting[] = [];

  constructor(private readonly database: Database) {}

  /**
   * Runs the work soon, after everything that is under way in this turn.
   *
   * @returns what the work returned, once it is committed; rejects with what it or the commit threw
   */
  commit<T>(work: () => T): Promise<T> {
    return this.#add(work, false);
  }

  /** As {@link commit}, for a work that writes with one statement at most: when it is alone, that is its transaction. */
  commitStatement<T>(work: () => T): Promise<T> {
    return this.#add(work, true);
  }

  #add<T>(work: () => T, isOneStatement: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#run());
      this.#waiting.push({ work, isOneStatement, resolve: resolve as (value: unknown) => void, reject }); // given what this work returned
    });
  }

  #run(): void {
    const group = this.#waiting;
    this.#waiting = [];
    if (group.length > 1 && this.#tryTogether(group)) return;
    for (const { work, isOneStatement, resolve, reject } of group) {
      try {
        resolve(isOneStatement ? work() : this.database.transaction(work));
      } catch (error) {
        reject(error);
      }
    }
  }

  /** @returns false when nothing was committed */
  #tryTogether(group: readonly Waiting[]): boolean {
    let results: unknown[];
    try {
      results = this.database.transaction(() => group.map(({ work }) => work()));
    } catch {
      return false;
    }
    for (const [index, { resolve }] of group.entries()) resolve(results[index]);
    return true;
  }
}
