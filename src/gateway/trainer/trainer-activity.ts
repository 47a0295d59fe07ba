import type { Status, Trouble } from '../../shared/wire/rl';
import type { DeathKind } from '../store/crash-counts';
import type { TrainerLinkEvent } from './trainer-link';

/** What no process does to itself: somebody, or the system when memory runs out, ended it. */
const OUTSIDE_SIGNALS: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT']);

/** An end of the trainer that was not asked for, while it had a batch in hand. */
export interface TrainerDeath {
  readonly batchId: number;
  readonly kind: DeathKind;
  /** "exit code 1", "signal SIGKILL" */
  readonly exit: string;
  /** what it said last about why, or null */
  readonly error: string | null;
}

/** Exits that are no crash of a batch: done, bad set-up (no restart helps), asked to stop. */
const BLAMELESS_EXITS: ReadonlySet<number> = new Set([0, 10, 11, 12, 15, 16, 17, 20]);

/** What the trainer says it is doing; only for eyes, nothing is decided by it but the blame for a crash. */
export class TrainerActivity {
  #isUp = false;
  #hasBeenUp = false;
  #batchId: number | null = null;
  #offeredId: number | null = null;
  #phase: string | null = null;
  #fraction: number | null = null;
  #trouble: Trouble | null = null;
  #lastError: string | null = null;

  /** A batch was sent: should the trainer crash before its first word about it, this batch is to blame. */
  offered(batchId: number): void {
    this.#offeredId = batchId;
  }

  /** @returns how the trainer died on a batch, or null */
  hear(event: TrainerLinkEvent): TrainerDeath | null {
    if (event.kind === 'gone') {
      const death = this.#deathOf(event);
      this.#isUp = false;
      this.#lastError = null;
      this.#rest();
      return death;
    }
    const { message } = event;
    switch (message.type) {
      case 'ready':
        this.#isUp = true;
        this.#hasBeenUp = true;
        this.#trouble = null;
        this.#rest();
        break;
      case 'progress':
        this.#isUp = true;
        this.#batchId = message.batch;
        this.#phase = message.phase;
        this.#fraction = message.frac;
        break;
      case 'ack':
        this.#rest();
        break;
      case 'error':
        this.#lastError = message.message;
        this.#trouble = {
          kind: `trainer-${message.code}`,
          message: message.message,
          advice: message.retryable
            ? 'The trainer tries again by itself. Ratings are safe meanwhile.'
            : 'See the trainer’s log on the Training screen, then restart it there. Ratings are safe.',
        };
        break;
      default:
        break;
    }
    return null;
  }

  /** A trainer that was here is expected back: whoever supervises it starts it again. */
  get hasBeenUp(): boolean {
    return this.#hasBeenUp;
  }

  view(): Status['trainer'] {
    if (!this.#isUp) return { state: 'off', batch_id: null, phase: null, fraction: null };
    const isBusy = this.#batchId !== null;
    return {
      state: isBusy ? 'training' : 'idle',
      batch_id: this.#batchId,
      phase: this.#phase,
      fraction: this.#fraction,
    };
  }

  get trouble(): Trouble | null {
    return this.#trouble;
  }

  #deathOf({ code, signal = null }: Extract<TrainerLinkEvent, { kind: 'gone' }>): TrainerDeath | null {
    if (code !== null && BLAMELESS_EXITS.has(code)) return null;
    const kind: DeathKind = signal !== null && OUTSIDE_SIGNALS.has(signal) ? 'kill' : 'crash';
    // Killed before its first word about the batch, it had not begun: only an own crash may be the batch's doing then.
    const batchId = this.#batchId ?? (kind === 'crash' ? this.#offeredId : null);
    if (batchId === null) return null;
    const exit = signal === null ? `exit code ${code ?? 'unknown'}` : `signal ${signal}`;
    return { batchId, kind, exit, error: this.#lastError };
  }

  #rest(): void {
    this.#offeredId = null;
    this.#batchId = null;
    this.#phase = null;
    this.#fraction = null;
  }
}
