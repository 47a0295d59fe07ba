import type { Trajectory } from '../../shared/domain/trajectory';
import { encodeVersionRuns, headAndTail } from '../../shared/domain/version-runs';
import type { Trouble } from '../../shared/wire/rl';
import type { Clock } from '../platform/clock';
import type { DurableFiles } from '../platform/durable-files';
import type { EventHub } from '../platform/event-hub';
import { errorText, type Logger } from '../platform/logger';
import { joinPath } from '../platform/private-files';
import type { DumpedStore } from '../store/dumped';
import type { InteractionStore } from '../store/interactions';
import type { RewardStore } from '../store/rewards';
import type { SessionStore } from '../store/sessions';
import { parseRecord } from './parse-record';
import { taskFileName } from './task-file-name';
import { interactionTokens, turnDepths } from './token-rows';
import { type DescribeTokens, trajectoryLine } from './trajectory-record';

export interface DumpPorts {
  readonly dumped: DumpedStore;
  readonly interactions: InteractionStore;
  readonly rewards: RewardStore;
  readonly sessions: SessionStore;
  readonly files: DurableFiles;
  readonly clock: Clock;
  readonly events: EventHub;
  readonly logger: Logger;
  readonly describeTokens: DescribeTokens;
  /** `{fileroot}/{experiment}/{trial}` */
  readonly dumpDir: string;
}

const ROWS_PER_ROUND = 256;
const RETRY_MS = 10_000;
/** Files whose end is remembered. Every version has files of its own, so all of them would be more with every batch. */
const MOST_FILES = 1024;

/**
 * Writes the rollout dump: `{dumpDir}/rollout/{version}/{task}.jsonl`, one line per trajectory.
 *
 * A row is dumped when a batch holds it: its reward is final then, so no line is ever rewritten. The database remembers
 * which rows are written; after a crash between the write and that note the file itself is asked, so no line is doubled.
 * Nobody waits for the dump, and its failing costs nothing but the dump.
 */
export class TrajectoryDump {
  /** the file written last is the last one */
  readonly #known = new Map<string, FileState>();
  #work: Promise<void> | null = null;
  #isWanted = false;
  #retryAt = 0;
  #trouble: Trouble | null = null;
  readonly #stops: (() => void)[] = [];

  constructor(
    private readonly ports: DumpPorts,
    private readonly mostFiles = MOST_FILES,
  ) {}

  get trouble(): Trouble | null {
    return this.#trouble;
  }

  start(): void {
    const { events, clock } = this.ports;
    this.#stops.push(
      events.subscribe(({ kind }) => {
        if (kind === 'batch-form') void this.dumpPending();
      }),
      clock.every(RETRY_MS, () => void this.dumpPending()),
    );
    void this.dumpPending();
  }

  /** Writes everything that waits; resolves when it is on disk or has failed (see `trouble`). Calls may overlap. */
  dumpPending(): Promise<void> {
    this.#isWanted = true;
    this.#work ??= this.#rounds().finally(() => {
      this.#work = null;
    });
    return this.#work;
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    await this.#work;
  }

  async #rounds(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      if (this.#trouble !== null && this.ports.clock.now() < this.#retryAt) return;
      try {
        while ((await this.#round()) === ROWS_PER_ROUND);
        if (this.#trouble !== null) this.#report(null);
      } catch (error) {
        this.#retryAt = this.ports.clock.now() + RETRY_MS;
        this.#known.clear();
        this.#report(error);
      }
    }
  }

  /** @returns how many rows were taken */
  async #round(): Promise<number> {
    const { dumped, clock, events } = this.ports;
    const pending = dumped.pending(ROWS_PER_ROUND);
    const byFile = new Map<string, Trajectory[]>();
    for (const { interactionId, reward, originalReward } of pending) {
      const row = this.#trajectory(interactionId, reward, originalReward);
      const file = fileOf(row);
      byFile.set(file, [...(byFile.get(file) ?? []), row]);
    }
    for (const [file, rows] of byFile) {
      await this.#append(file, rows);
      dumped.mark(
        rows.map((row) => ({ id: row.interactionId, file })),
        clock.now(),
      );
    }
    if (pending.length > 0) events.publish({ kind: 'dump-append' });
    return pending.length;
  }

  async #append(file: string, rows: readonly Trajectory[]): Promise<void> {
    const { files, dumpDir, describeTokens } = this.ports;
    const path = joinPath(dumpDir, file);
    const known = this.#known.get(file);
    const isAsLeft = known !== undefined && (await files.size(path)) === known.size;
    const state = isAsLeft ? known : await this.#inspect(path, known === undefined);
    const lines: string[] = [];
    for (const row of rows) {
      if (state.ids.has(row.interactionId)) continue;
      const line = trajectoryLine(row, state.lines + lines.length, describeTokens);
      if (line === null) continue;
      lines.push(line);
    }
    const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''));
    if (lines.length > 0) await files.append(path, state.isTorn ? Buffer.concat([LINE_END, bytes]) : bytes);
    const size = lines.length > 0 ? await files.size(path) : state.size;
    // Ids matter only for rows that a crash may have left between file and database: those written here are no such rows.
    this.#remember(file, {
      lines: state.lines + lines.length,
      ids: state.ids,
      size: size ?? 0,
      isTorn: state.isTorn && lines.length === 0,
    });
  }

  #remember(file: string, state: FileState): void {
    this.#known.delete(file);
    this.#known.set(file, state);
    const [oldest] = this.#known.keys();
    if (this.#known.size > this.mostFiles && oldest !== undefined) this.#known.delete(oldest);
  }

  /**
   * What an existing file holds.
   *
   * A last line without line end is cut off when it is what a killed write leaves: no whole record, found before the
   * first write of this process. Anything else was edited by somebody and stays; the next record begins a new line.
   */
  async #inspect(path: string, isFirst: boolean): Promise<FileState> {
    const { files } = this.ports;
    const bytes = (await files.read(path)) ?? new Uint8Array();
    const end = bytes.lastIndexOf(0x0a) + 1;
    const last = new TextDecoder().decode(bytes.subarray(end));
    const isCut = last !== '' && isFirst && !parseRecord(last).ok;
    if (isCut) await files.truncate(path, end);
    const whole = new TextDecoder().decode(bytes.subarray(0, end)).split('\n').slice(0, -1);
    const lines = last === '' || isCut ? whole : [...whole, last];
    const ids = lines.flatMap((line) => /"interaction_id": "([^"]+)"/.exec(line)?.[1] ?? []);
    const size = isCut ? end : bytes.length;
    return { lines: lines.length, ids: new Set(ids), size, isTorn: lines.length > whole.length };
  }

  #trajectory(id: Trajectory['interactionId'], reward: number, originalReward: number | null): Trajectory {
    const { interactions, rewards, sessions } = this.ports;
    const interaction = interactions.find(id);
    const session = interaction === null ? null : sessions.find(interaction.sessionId);
    if (interaction === null || session === null) throw new Error(`dump: interaction ${id} does not exist`);
    return {
      interactionId: id,
      sessionId: session.id,
      taskId: session.taskId,
      groupId: session.groupId,
      source: session.source,
      raterId: rewards.find(id)?.raterId ?? session.raterId,
      turn: turnDepths(interactions.listOfSession(session.id)).get(id) ?? 0,
      tokens: interactionTokens(interaction),
      finishReason: interaction.finishReason ?? 'stop',
      temperature: interaction.temperature,
      distorted: interaction.distorted,
      reward,
      originalReward,
      createdAt: interaction.createdAt,
    };
  }

  #report(error: unknown): void {
    const { logger, events, dumpDir } = this.ports;
    if (error === null) this.#trouble = null;
    else {
      logger.log('error', 'dump-failed', { error: errorText(error) });
      this.#trouble = {
        kind: 'dump-failed',
        message: `The trajectory dump cannot be written to ${dumpDir}: ${errorText(error)}.`,
        advice:
          'Free some space or restore access. Ratings and training are not affected; the dump is completed by itself.',
      };
    }
    events.publish({ kind: 'trouble-change' });
  }
}

interface FileState {
  readonly lines: number;
  readonly ids: ReadonlySet<string>;
  /** bytes; another size means that somebody else wrote */
  readonly size: number;
  /** the last line has no line end */
  readonly isTorn: boolean;
}

const LINE_END = Uint8Array.of(0x0a);

function fileOf(row: Trajectory): string {
  const { tail } = headAndTail(encodeVersionRuns(row.tokens.versions.filter((_, t) => row.tokens.lossMask[t] === 1)));
  return joinPath('rollout', String(tail), `${taskFileName(row.taskId)}.jsonl`);
}
