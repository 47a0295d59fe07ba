import type { Clock } from '../../platform/clock';
import type { EngineCalls } from '../../platform/engine-http';
import type { Logger } from '../../platform/logger';

/** Between two notices; a crowd that comes and goes is one for the reader of a log. */
const PAUSE_MS = 60_000;

/** Says in the log when calls begin to wait for a connection to the engine, and when none does any more. */
export class CrowdNotice {
  #isTold = false;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly ports: { readonly clock: Clock; readonly logger: Logger }) {}

  /** Call whenever the numbers change. */
  note({ open, waiting }: EngineCalls): void {
    if (waiting === 0) {
      if (this.#isTold) this.ports.logger.log('info', 'engine-calls-flow', { open });
      this.#isTold = false;
      return;
    }
    if (this.#isTold) return;
    const now = this.ports.clock.now();
    // A clock that was set back must not silence it.
    if (Math.abs(now - this.#toldAt) < PAUSE_MS) return;
    this.#isTold = true;
    this.#toldAt = now;
    const message = `${open} calls are open at the engine, which is the most; further ones wait for their turn, oldest first. Let fewer agents talk at once, or ask for shorter answers.`;
    this.ports.logger.log('warn', 'engine-calls-wait', { open, waiting, message });
  }
}
