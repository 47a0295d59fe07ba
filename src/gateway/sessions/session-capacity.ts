import type { Session } from '../../shared/domain/session';
import type { Clock } from '../platform/clock';
import type { EventHub } from '../platform/event-hub';
import { acceptedRows, openCapacity, retryAfterSeconds, stalenessCapacity } from '../staleness/capacity';
import type { GrantStore } from '../store/grants';
import type { SessionStore } from '../store/sessions';

export type AdmissionMode = 'gate' | 'soft' | 'grants';

export interface CapacityOptions {
  readonly admission: AdmissionMode;
  /** agent sessions open at once */
  readonly maxOpenSessions: number;
  /** η, in batches */
  readonly maxHeadOffpolicyness: number;
  readonly batchSize: number;
}

export interface CapacityPorts {
  readonly sessions: SessionStore;
  readonly grants: GrantStore;
  readonly clock: Clock;
  readonly events: EventHub;
  /** where training here stands; read at every decision */
  readonly training: () => {
    /** a trainer works on this run, though it may be starting anew just now */
    readonly hasTrainer: boolean;
    /** batches formed so far */
    readonly batchId: number;
    readonly isBatchUnderWay: boolean;
  };
  /** rows that wait for a batch here; reads the database, so it is asked only when something has changed */
  readonly waitingRows: () => number;
}

/** Sessions that want to start together. */
export interface RoomRequest {
  /** sessions of one group; the staleness formula counts them as one, as AReaL counts a group */
  readonly size: number;
  /** trainers that wait and would take one each */
  readonly waiting: number;
  /** where those train that no waiting trainer takes */
  readonly consumer: Session['consumer'];
  /** a session that was ended in the same transaction, as it was before */
  readonly ending: Session | null;
}

/** Capacity as it stands, for `/rl/status` and `/metrics`. */
export interface CapacityFacts {
  readonly admission: AdmissionMode;
  /** agent sessions that may start now without a waiting trainer; may be negative */
  readonly capacity: number;
  /** whether the staleness formula decides now: mode `gate` in a run that is trained here */
  readonly gated: boolean;
  /** open agent sessions that train here */
  readonly running: number;
  /** open agent sessions that a trainer outside waits for */
  readonly external: number;
  readonly accepted: number;
  /** granted by a trainer outside and not used yet */
  readonly granted: number;
  /** calls of `/internal/wait_for_session` without a session */
  readonly waiters: number;
  /** refreshes that wait for capacity */
  readonly refreshing: number;
  readonly max_open: number;
  readonly max_head_offpolicyness: number;
  readonly batch_id: number;
  readonly batch_size: number;
}

const REMEMBERED_BATCHES = 9;
/** Rows are also dropped by a batch pass, which says nothing when no batch comes of it. */
const WAITING_FRESH_MS = 1000;
const CHANGES_WAITING: ReadonlySet<string> = new Set([
  'session-end',
  'reward-set',
  'interaction-end',
  'batch-form',
  'batch-ack',
]);

/**
 * The one owner of capacity: who counts sessions, decides whether an agent's may start, and spends grants.
 *
 * Everything but the number of open sessions is read from the database when it is needed; that number is counted from it
 * at the start. People are never asked for capacity.
 */
export class SessionCapacity {
  readonly #open: Record<Session['consumer'], number>;
  readonly #batchTimes: number[] = [];
  #waiting: { readonly rows: number; readonly at: number } | null = null;
  /** grants that waiting trainers hold; in memory, because they end with the waiters' connections */
  #claimed = 0;

  constructor(
    private readonly ports: CapacityPorts,
    private readonly options: CapacityOptions,
  ) {
    this.#open = ports.sessions.countOpenAgents();
    ports.events.subscribe(({ kind }) => {
      if (CHANGES_WAITING.has(kind)) this.#waiting = null;
      if (kind === 'batch-ack') this.#noteBatch();
    });
  }

  /** Call after the commit that inserted it. */
  opened({ source, consumer }: Session): void {
    if (source === 'agent') this.#open[consumer] += 1;
  }

  /** Call after the commit that ended it. */
  ended({ source, consumer }: Session): void {
    if (source === 'agent') this.#open[consumer] -= 1;
  }

  /** Whether agent sessions may start. Call it in the transaction that would insert them. */
  hasRoom({ size, waiting, consumer, ending }: RoomRequest): boolean {
    if (ending !== null) this.#waiting = null;
    const { running, external } = this.#counts(ending);
    if (openCapacity(this.options.maxOpenSessions, running + external) < size) return false;
    const rest = size - Math.min(size, waiting);
    if (rest === 0) return true;
    switch (this.options.admission) {
      case 'soft':
        return true;
      case 'grants':
        return this.ports.grants.count() >= rest;
      case 'gate':
        return consumer === 'external' || this.#stalenessRoom(running) > 0;
    }
  }

  /** Call in the transaction that inserts them: sessions that started without a waiting trainer use grants up. */
  spend(sessions: number): void {
    if (this.options.admission === 'grants' && sessions > 0) this.ports.grants.add(-sessions);
  }

  /** One more session is granted. @returns all grants that are not used yet */
  grant(): number {
    return this.ports.grants.add(1) + this.#claimed;
  }

  /**
   * A trainer that waits holds one of the grants, if there is one: a session it takes uses up that grant and no other,
   * and when it goes away its grant goes with it instead of being left over for a session nobody waits for.
   *
   * @returns whether it holds one
   */
  claimGrant(): boolean {
    if (this.ports.grants.count() === 0) return false;
    this.ports.grants.add(-1);
    this.#claimed += 1;
    return true;
  }

  /** The claim was used, or its holder went away. */
  dropClaim(): void {
    this.#claimed -= 1;
  }

  /** Forget what was read inside a transaction that may have been rolled back. */
  refresh(): void {
    this.#waiting = null;
  }

  retryAfter(): number {
    return retryAfterSeconds(this.#batchTimes);
  }

  facts(queues: { readonly waiters: number; readonly refreshing: number }): CapacityFacts {
    const { options } = this;
    const { hasTrainer, batchId } = this.ports.training();
    const { running, external } = this.#counts(null);
    const granted = this.ports.grants.count();
    const gated = options.admission === 'gate' && hasTrainer;
    const free = openCapacity(options.maxOpenSessions, running + external);
    const limit = gated ? this.#stalenessRoom(running) : options.admission === 'grants' ? granted : free;
    return {
      admission: options.admission,
      capacity: Math.min(free, limit),
      gated,
      running,
      external,
      accepted: acceptedRows(batchId, options.batchSize, this.#waitingRows()),
      granted: granted + this.#claimed,
      ...queues,
      max_open: options.maxOpenSessions,
      max_head_offpolicyness: options.maxHeadOffpolicyness,
      batch_id: batchId,
      batch_size: options.batchSize,
    };
  }

  #counts(ending: Session | null): { readonly running: number; readonly external: number } {
    const left = (consumer: Session['consumer']): number =>
      ending?.source === 'agent' && ending.consumer === consumer ? 1 : 0;
    return { running: this.#open.plaudit - left('plaudit'), external: this.#open.external - left('external') };
  }

  #stalenessRoom(running: number): number {
    const { hasTrainer, batchId, isBatchUnderWay } = this.ports.training();
    // In a run that nobody trains no version is made, so nothing gets older: collecting goes on. A trainer that is only
    // away (crashed, waiting for room on the disk) comes back, and all but the first batches would be too old by then.
    if (!hasTrainer) return Number.POSITIVE_INFINITY;
    const { maxHeadOffpolicyness, batchSize } = this.options;
    const accepted = acceptedRows(batchId, batchSize, this.#waitingRows());
    const room = stalenessCapacity({ maxHeadOffpolicyness, batchId, batchSize, accepted, running });
    // One long session can have rows enough for several batches, but a batch needs two episodes: with none under way and
    // nobody talking, another session is the only thing that can ever move training on.
    return running === 0 && !isBatchUnderWay ? Math.max(1, room) : room;
  }

  #waitingRows(): number {
    const now = this.ports.clock.now();
    const known = this.#waiting;
    if (known !== null && now >= known.at && now - known.at < WAITING_FRESH_MS) return known.rows;
    const rows = this.ports.waitingRows();
    this.#waiting = { rows, at: now };
    return rows;
  }

  #noteBatch(): void {
    this.#batchTimes.push(this.ports.clock.now());
    if (this.#batchTimes.length > REMEMBERED_BATCHES) this.#batchTimes.shift();
  }
}
