import type { Status, Trouble } from '../../shared/wire/rl';
import type { TrainerLinkEvent } from './trainer-link';

/** Exits that are no crash of a batch: done, bad set-up (no restart helps), asked to stop. */
const BLAMELESS_EXITS: ReadonlySet<number> = new Set([0, 10, 11, 12, 15, 16, 17, 20]);

/** What the trainer says it is doing; only for eyes, nothing is decided by it but the blame for a crash. */
export class TrainerActivity {
  #isUp = false;
  #batchId: number | null = null;
  #offeredId: number | null = null;
  #phase: string | null = null;
  #fraction: number | null = null;
  #trouble: Trouble | null = null;

  /** A batch was sent: should the trainer die before its first word about it, this batch is to blame. */
  offered(batchId: number): void {
    this.#offeredId = batchId;
  }

  /** @returns the batch that the trainer died on, or null */
  hear(event: TrainerLinkEvent): number | null {
    if (event.kind === 'gone') {
      const culprit =
        event.code === null || !BLAMELESS_EXITS.has(event.code) ? (this.#batchId ?? this.#offeredId) : null;
      this.#isUp = false;
      this.#rest();
      return culprit;
    }
    const { message } = event;
    switch (message.type) {
      case 'ready':
        this.#isUp = true;
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

  #rest(): void {
    this.#offeredId = null;
    this.#batchId = null;
    this.#phase = null;
    this.#fraction = null;
  }
}
