import type { Clock } from '../platform/clock';
import type { Presence } from './presence';

/** One client that waits for an answer. */
export interface Listener {
  readonly client: Presence;
  /** it reads while the answer is made; such a client cannot come back for the rest */
  readonly stream: boolean;
}

/**
 * Who waits for one running answer.
 *
 * An answer nobody waits for is given up: at once when the last one was streaming, after a grace otherwise, because a
 * client that lost its connection asks again and may then join.
 */
export class Audience {
  #present = 0;
  #isOver = false;
  /** of the grace that runs, if one does */
  #grace: AbortController | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly graceMs: number,
    private readonly hears: {
      /** the last one left; it may come back */
      readonly onEmpty: () => void;
      /** nobody came back, and the answer is not complete */
      readonly onGivenUp: () => void;
    },
  ) {}

  /** Nobody waits right now. */
  get isEmpty(): boolean {
    return this.#present === 0;
  }

  join({ client, stream }: Listener): void {
    this.#present += 1;
    this.#endGrace();
    const leave = (): void => void this.#leave(stream);
    client.onLeave(leave);
  }

  /** The answer is complete: there is nothing left to give up. */
  end(): void {
    this.#isOver = true;
    this.#endGrace();
  }

  #endGrace(): void {
    this.#grace?.abort();
    this.#grace = null;
  }

  async #leave(wasStreaming: boolean): Promise<void> {
    this.#present -= 1;
    if (!this.isEmpty) return;
    this.hears.onEmpty();
    if (this.#isOver) return;
    if (!wasStreaming && this.graceMs > 0) {
      this.#grace = new AbortController();
      const { signal } = this.#grace;
      await this.clock.sleep(this.graceMs, signal);
      if (signal.aborted) return;
    }
    this.hears.onGivenUp();
  }
}
