import type { Status, Trouble } from '../../shared/wire/rl';
import {
  type Algorithm,
  algorithmSchema,
  type Head,
  type Run,
  TRAINER_SCHEMA,
  type TrainingSettings,
} from '../../shared/wire/trainer';
import { sha256Hex } from '../platform/durable-files';
import type { EventHub } from '../platform/event-hub';
import { errorText, type Logger } from '../platform/logger';
import { joinPath } from '../platform/private-files';
import { type RandomSource, randomHex } from '../platform/random';
import type { StoredBatch } from '../store/batches';
import type { CrashCounts } from '../store/crash-counts';
import type { MetricsStore } from '../store/metrics';
import type { SetAsideBatch, SetAsideStore } from '../store/set-aside';
import type { VersionStore } from '../store/versions';
import { type BatchRowPorts, readBatchRows } from '../trainer/batch-rows';
import { batchManifest, encodeBatch } from '../trainer/encode-batch';
import { findModel, identifyModel } from '../trainer/model-home';
import { blameBatch } from '../trainer/poison-watch';
import type { RunFolder } from '../trainer/run-folder';
import { contradictionOf, type SettleProblem, settleBatch } from '../trainer/settle-batch';
import { TrainerActivity, type TrainerDeath } from '../trainer/trainer-activity';
import type { TrainerLink, TrainerLinkEvent } from '../trainer/trainer-link';
import { type FormBatchPorts, formBatch, readBatchFill } from './form-batch';

export interface TrainingPorts extends FormBatchPorts, BatchRowPorts {
  readonly versions: VersionStore;
  readonly metrics: MetricsStore;
  readonly crashes: CrashCounts;
  readonly setAside: SetAsideStore;
  readonly run: RunFolder;
  readonly link: TrainerLink;
  readonly events: EventHub;
  readonly logger: Logger;
  readonly random: RandomSource;
  readonly modelPath: string;
  /** of a new run; the part that may change within a run goes to the trainer of an old one too */
  readonly algorithm: Algorithm;
  /** brings the newest committed version into service; called after everything that may have made one */
  readonly publish: () => Promise<unknown>;
}

/** Files are read again this often, so that everything comes right even when every message is lost. */
const TICK_MS = 2000;

/**
 * From ratings to versions: form a batch, write its spool folder, offer it, read HEAD.json, settle, publish.
 *
 * Each pass re-derives what to do from the database and the run folder; messages of the trainer only make it happen
 * sooner. So a lost, doubled or late message, a killed trainer or a killed gateway change nothing but the time.
 */
export class TrainingCoordinator {
  readonly #activity = new TrainerActivity();
  #runId: string | null = null;
  #algorithm: Algorithm;
  /** the spool folder that was read and found whole, and its sizes then: while they stay, it is not read again */
  #spooled: string | null = null;
  #hasReadReports = false;
  /** a batch that is to be set aside; its skip file is written by the next pass that the disk allows */
  #condemned: { readonly batchId: number; readonly reason: string } | null = null;
  #trouble: Trouble | null = null;
  #pass: Promise<void> | null = null;
  #isWanted = false;
  #isClosed = false;
  readonly #stops: (() => void)[] = [];

  constructor(private readonly ports: TrainingPorts) {
    this.#algorithm = ports.algorithm;
  }

  start(): void {
    const { versions, link, events, clock } = this.ports;
    versions.put({ version: 0, incarnation: 0, path: '', batchId: null, trainedAt: null });
    this.#stops.push(
      link.subscribe((event) => this.#hear(event)),
      events.subscribe(({ kind }) => {
        if (kind === 'session-end' || kind === 'reward-set' || kind === 'engine-change') this.wake();
      }),
      clock.every(TICK_MS, () => this.wake()),
    );
    this.wake();
  }

  /** Looks once more at what there is to do; never waits. */
  wake(): void {
    this.#isWanted = true;
    if (this.#pass !== null || this.#isClosed) return;
    this.#pass = this.#passes().finally(() => {
      this.#pass = null;
    });
  }

  /** Resolves when a pass that began after this call has ended; for hosts that write `run.json` before a trainer starts. */
  async settled(): Promise<void> {
    this.wake();
    await this.#pass;
  }

  trainer(): Status['trainer'] {
    return this.#activity.view();
  }

  /** Whether this run is trained here, be the trainer up at the moment or not: versions were made, or one said it is ready. */
  hasTrainer(): boolean {
    return this.#activity.hasBeenUp || (this.ports.versions.newest()?.version ?? 0) > 0;
  }

  trouble(): Trouble[] {
    const setAside = this.ports.setAside.list().map(setAsideTrouble);
    return [this.#trouble, this.#activity.trouble, ...setAside].filter((line) => line !== null);
  }

  /** Batches that the trainer passed over, for a person to decide about. */
  setAside(): SetAsideBatch[] {
    return this.ports.setAside.list();
  }

  /** Lets the ratings of a batch that was set aside wait for a batch again. @returns false when there is no such batch */
  retryBatch(batchId: number): boolean {
    return this.#decide(batchId, 'batch-retried', this.ports.setAside.release(batchId));
  }

  /** Leaves the ratings of a batch that was set aside untrained for good. @returns as {@link retryBatch} */
  dismissBatch(batchId: number): boolean {
    return this.#decide(batchId, 'batch-dismissed', this.ports.setAside.dismiss(batchId));
  }

  /** Settings that may change within a run; the trainer uses them from the next batch it takes. */
  changeSettings(settings: Partial<TrainingSettings>): void {
    this.#algorithm = algorithmSchema.parse({ ...this.#algorithm, ...settings });
    this.#sendSettings();
  }

  settings(): TrainingSettings {
    const { baseline, learning_rate, kl_beta } = this.#algorithm;
    return { baseline, learning_rate, kl_beta };
  }

  batch(): Status['batch'] {
    const fill = readBatchFill(this.ports);
    const nextId = this.ports.batches.findUnsettled()?.batchId ?? fill.nextId;
    return { size: fill.size, filled: fill.filled, open_rated: fill.openRated, next_id: nextId };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    await this.#pass;
  }

  async #passes(): Promise<void> {
    while (this.#isWanted && !this.#isClosed) {
      this.#isWanted = false;
      try {
        await this.#advance();
      } catch (error) {
        // The world is broken (disk full, read-only): nothing is lost, the next tick tries again.
        this.#report(
          'training-disk',
          `The run folder cannot be used: ${errorText(error).replace(/\.$/, '')}.`,
          'Free some space or restore access; ratings are safe and training goes on by itself.',
        );
      }
    }
  }

  async #advance(): Promise<void> {
    const { run, batches, versions } = this.ports;
    const runId = await this.#ensureRun();
    if (runId === null) return;
    const head = await run.readHead();
    if (!head.ok) {
      this.#report(
        'run-folder',
        `${head.error.file} in the run folder is damaged: ${head.error.message}.`,
        'Restore the file, or choose a new trial name in Settings to start a fresh run.',
      );
      return;
    }
    const problem = head.value === null ? contradictionOf(0, batches) : await this.#settle(head.value);
    if (problem !== null) {
      this.#report(
        problem.kind,
        `${problem.message} No batch is formed meanwhile, so that no rating is trained twice.`,
        'Put back the folder of this trial as a whole, database and run files of one moment, or choose a new trial name in Settings. Ratings are kept.',
      );
      return;
    }
    await this.#readReports();
    const newest = versions.newest()?.version ?? 0;
    const formed = formBatch({ ...this.ports, algorithm: this.#algorithm }, newest);
    if (formed !== null) this.ports.events.publish({ kind: 'batch-form', batch_id: formed });
    // The trainer must never know of a batch that a crash of the machine could make us forget.
    await this.ports.database.flush();
    const unsettled = batches.findUnsettled();
    if (unsettled !== null) await this.#deliver(runId, unsettled);
    this.#clear();
    await this.ports.publish();
  }

  async #ensureRun(): Promise<string | null> {
    if (this.#runId !== null) return this.#runId;
    if (await this.ports.run.hasLostRunFile()) {
      this.#report(
        'run-folder',
        'run.json is missing from a run folder that has already trained.',
        'Put the file back, or choose a new trial name in Settings to start a fresh run. Ratings are kept.',
      );
      return null;
    }
    const ensured = await this.ports.run.ensureRun(() => this.#makeRun());
    if (ensured.ok) {
      if (!(await this.#findModel(ensured.value))) return null;
      this.#runId = ensured.value.run_id;
      // What is fixed within a run is the run's, whatever the configuration says by now: the trainer goes by it too.
      const { baseline, learning_rate, kl_beta } = this.#algorithm;
      this.#algorithm = { ...ensured.value.algorithm, baseline, learning_rate, kl_beta };
      return this.#runId;
    }
    this.#report(
      'run-folder',
      `run.json is damaged: ${ensured.error.message}.`,
      'Restore the file, or choose a new trial name in Settings to start a fresh run.',
    );
    return null;
  }

  async #makeRun(): Promise<Run> {
    const { run, random, clock, modelPath, algorithm } = this.ports;
    const digest = await identifyModel(run.files, modelPath);
    return {
      schema: TRAINER_SCHEMA,
      run_id: randomHex(random, 16),
      model_path: modelPath,
      ...(digest === null ? {} : { model_digest: digest }),
      algorithm,
      seed: 1,
      created_at: new Date(clock.now()).toISOString(),
    };
  }

  /** @returns false when the run's model is nowhere to be found, which is reported */
  async #findModel(known: Run): Promise<boolean> {
    const { run, versions, modelPath, logger } = this.ports;
    const newest = versions.newest();
    const weights = newest === null || newest.version === 0 ? null : joinPath(run.path, newest.path);
    const home = await findModel(run.files, known, { root: run.path, present: modelPath, weights });
    if (home.kind === 'moved') {
      logger.log('warn', 'model-moved', { from: known.model_path, to: home.path });
      await run.moveModel(known, home.path);
    }
    if (home.kind !== 'gone') return true;
    this.#report(
      'run-folder',
      `The model that this run trains is gone from ${known.model_path}, and ${modelPath} holds another one.`,
      'Put the model back there and restart, or choose a new trial name in Settings to start a fresh run. Ratings are kept.',
    );
    return false;
  }

  /** @returns why HEAD contradicts the database and nothing may go on, or null */
  async #settle(head: Head): Promise<SettleProblem | null> {
    const { batches, run, clock, events } = this.ports;
    const unsettled = batches.findUnsettled();
    const skipReason = unsettled === null ? null : await run.readSkipReason(unsettled.batchId);
    const { settled, problem } = settleBatch(this.ports, { head, unsettled, skipReason, at: clock.now() });
    if (problem !== null) return problem;
    if (settled !== null) events.publish({ kind: 'batch-ack', batch_id: settled, version: head.version });
    return null;
  }

  /** Once: reports whose message was lost while no gateway listened are in the trainer's own record. */
  async #readReports(): Promise<void> {
    const { run, metrics, logger } = this.ports;
    if (this.#hasReadReports) return;
    this.#hasReadReports = true;
    if (!metrics.isIncomplete()) return;
    let restored = 0;
    for await (const { batch, version, values } of run.readReports())
      if (metrics.restore({ batchId: batch, version, values })) restored += 1;
    if (restored > 0) logger.log('info', 'training-reports-restored', { count: restored });
  }

  async #deliver(runId: string, batch: StoredBatch): Promise<void> {
    const { run, batches, link } = this.ports;
    if (this.#condemned?.batchId === batch.batchId) await run.writeSkip(batch.batchId, this.#condemned.reason);
    const stamp = await run.spoolStamp(batch.batchId);
    const isSpooled =
      stamp !== null &&
      (stamp === this.#spooled || (batch.sha256 !== null && (await run.hasSpool(batch.batchId, batch.sha256, runId))));
    if (!isSpooled) {
      const rows = readBatchRows(this.ports, batches.items(batch.batchId));
      const data = encodeBatch(rows);
      const sha256 = sha256Hex(data);
      await run.writeSpool(batchManifest({ runId, ...batch, sha256 }, rows), data);
      batches.markSpooled(batch.batchId, sha256);
    }
    this.#spooled = isSpooled ? stamp : await run.spoolStamp(batch.batchId);
    // Offered at every pass until HEAD has it: an offer may be lost, and a repeated one is answered with the stored result.
    if (this.#activity.view().state !== 'idle') return;
    if (link.send({ type: 'batch', id: batch.batchId, path: run.spoolPath(batch.batchId) }))
      this.#activity.offered(batch.batchId);
  }

  #hear(event: TrainerLinkEvent): void {
    const { events, metrics, clock, logger } = this.ports;
    const death = this.#activity.hear(event);
    if (death !== null) this.#blame(death);
    if (event.kind === 'gone') {
      // It may have died of a damaged folder: look at it again before the next one reads it.
      this.#spooled = null;
      events.publish({ kind: 'trainer-change' });
      this.wake();
    } else if (event.message.type === 'progress')
      events.publish({ kind: 'training-progress', batch_id: event.message.batch });
    else if (event.message.type === 'metrics') {
      const { batch, version, values } = event.message;
      metrics.put({ batchId: batch, version, values, at: clock.now() });
    } else if (event.message.type === 'warn' || event.message.type === 'error') {
      logger.log('warn', `trainer-${event.message.type}`, { code: event.message.code, error: event.message.message });
      events.publish({ kind: 'trouble-change' });
    } else if (event.message.type !== 'heartbeat') {
      if (event.message.type === 'ready') this.#sendSettings();
      events.publish({ kind: 'trainer-change' });
      this.wake();
    }
  }

  /** Said at every `ready` and every change: the trainer keeps them, and saying them again changes nothing. */
  #sendSettings(): void {
    this.ports.link.send({ type: 'set', values: this.settings() });
  }

  #decide(batchId: number, event: string, isDone: boolean): boolean {
    if (!isDone) return false;
    this.ports.logger.log('info', event, { batch_id: batchId });
    this.ports.events.publish({ kind: 'batch-ack', batch_id: batchId });
    this.wake();
    return true;
  }

  #blame(death: TrainerDeath): void {
    const { batchId, kind, exit } = death;
    // Its fate may be known already: a trainer can die after the commit and before its ack.
    if (this.ports.batches.findUnsettled()?.batchId !== batchId) return;
    const reason = blameBatch(this.ports.crashes, batchId, death);
    this.ports.logger.log('warn', 'trainer-died-on-batch', { batch_id: batchId, kind, exit });
    if (reason !== null) this.#condemned = { batchId, reason };
  }

  #report(kind: string, message: string, advice: string): void {
    if (this.#trouble?.message === message) return;
    this.#trouble = { kind, message, advice };
    this.ports.logger.log('error', kind, { error: message });
    this.ports.events.publish({ kind: 'trouble-change' });
  }

  #clear(): void {
    if (this.#trouble === null) return;
    this.#trouble = null;
    this.ports.events.publish({ kind: 'trouble-change' });
  }
}

function setAsideTrouble({ batchId, ratings, reason }: SetAsideBatch): Trouble {
  return {
    kind: `batch-set-aside-${batchId}`,
    message: `${ratings} ${ratings === 1 ? 'rating is' : 'ratings are'} set aside: ${reason}.`,
    advice: 'Nothing of it was trained and nothing is lost: try it again, or leave it, on the Training screen.',
  };
}
