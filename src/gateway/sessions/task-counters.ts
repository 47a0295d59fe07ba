import type { SessionStore } from '../store/sessions';

const MOST_TASKS = 4096;

/**
 * The next free k of `<task_id>-<k>`, without counting a task's sessions at every start.
 *
 * No session is ever removed, so the count in the database is the truth; memory only spares counting again.
 */
export class TaskCounters {
  readonly #next = new Map<string, number>();

  constructor(private readonly sessions: SessionStore) {}

  next(taskId: string): number {
    return this.#next.get(taskId) ?? this.sessions.countOfTask(taskId);
  }

  /** Call after the commit, with how many there are then. */
  remember(taskId: string, count: number): void {
    this.#next.delete(taskId);
    this.#next.set(taskId, count);
    const [oldest] = this.#next.keys();
    if (this.#next.size > MOST_TASKS && oldest !== undefined) this.#next.delete(oldest);
  }
}
