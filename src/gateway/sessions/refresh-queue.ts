import type { Session } from '../../shared/domain/session';
import type { Clock } from '../platform/clock';

export type RefreshOutcome =
  | { readonly kind: 'started'; readonly session: Session }
  /** the time is over, or the client went away */
  | { readonly kind: 'timeout' }
  | { readonly kind: 'closed' };

/** Room can also come of something that publishes no event, such as rows that a batch pass dropped. */
const RETRY_MS = 1000;

type Settled = RefreshOutcome | { readonly kind: 'broken'; readonly error: unknown };

interface Refresh {
  readonly attempt: () => Session | null;
  readonly settle: (outcome: Settled) => void;
}

/** Keys whose old session has ended and whose new one waits for room; first come, first served. */
export class RefreshQueue {
  readonly #waiting = new Map<string, Refresh>();
  #stopRetries: (() => void) | null = null;
  #isTrying = false;
  #isTryWanted = false;

  constructor(private readonly clock: Clock) {}

  get size(): number {
    return this.#waiting.size;
  }

  has(key: string): boolean {
    return this.#waiting.has(key);
  }

  /**
   * Blocks until an attempt starts a session.
   *
   * @param attempt - null while there is no room; what it throws is thrown here
   */
  async wait(
    key: string,
    attempt: () => Session | null,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<RefreshOutcome> {
    const done = new AbortController();
    let settled: Settled | null = null;
    const outcome = (): Settled => settled ?? { kind: 'timeout' };
    const leave = (): void => done.abort();
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    this.#waiting.set(key, {
      attempt,
      settle: (value) => {
        this.#waiting.delete(key);
        settled = value;
        done.abort();
      },
    });
    this.#stopRetries ??= this.clock.every(RETRY_MS, () => this.tryAll());
    await this.clock.sleep(timeoutMs, done.signal);
    signal.removeEventListener('abort', leave);
    this.#waiting.delete(key);
    this.#rest();
    const end = outcome();
    if (end.kind === 'broken') throw end.error;
    return end;
  }

  /** Room may have come. */
  tryAll(): void {
    this.#isTryWanted = true;
    // A started session publishes events, which lead here again.
    if (this.#isTrying) return;
    this.#isTrying = true;
    try {
      while (this.#isTryWanted) {
        this.#isTryWanted = false;
        for (const refresh of [...this.#waiting.values()]) this.#try(refresh);
      }
    } finally {
      this.#isTrying = false;
    }
  }

  close(): void {
    for (const refresh of [...this.#waiting.values()]) refresh.settle({ kind: 'closed' });
    this.#rest();
  }

  #try({ attempt, settle }: Refresh): void {
    try {
      const session = attempt();
      if (session !== null) settle({ kind: 'started', session });
    } catch (error) {
      // Not the fault of whoever made room: it belongs to the call that waits.
      settle({ kind: 'broken', error });
    }
  }

  #rest(): void {
    if (this.#waiting.size > 0) return;
    this.#stopRetries?.();
    this.#stopRetries = null;
  }
}
