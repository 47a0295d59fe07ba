import type { SessionStore } from '../store/sessions';

const MOST_TASKS = 4096;

/**
 * The next free k of `<task_id>-<k>`, without looking through a task's sessions at every start.
 *
 * The greatest k in the database is the truth; memory only spares looking for it again.
 */
export class TaskCounters {
  readonly #next = new Map<string, number>();

  constructor(private readonly sessions: SessionStore) {}

  /** Call before the sessions are inserted. */
  next(taskId: string): number {
    const known = this.#next.get(taskId) ?? this.sessions.nextOfTask(taskId);
    this.#next.delete(taskId);
    this.#next.set(taskId, known);
    const [oldest] = this.#next.keys();
    if (this.#next.size > MOST_TASKS && oldest !== undefined) this.#next.delete(oldest);
    return known;
  }

  /** Call after the commit that inserted them. */
  advance(taskId: string, sessions: number): void {
    const known = this.#next.get(taskId);
    if (known !== undefined) this.#next.set(taskId, known + sessions);
  }
}
