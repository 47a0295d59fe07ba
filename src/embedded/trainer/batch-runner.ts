import { access } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Algorithm,
  type Head,
  type Manifest,
  type RowDrop,
  type RunSettings,
  TRAINER_SCHEMA,
  type TrainerMessage,
} from '../../shared/wire/trainer';
import { BatchHistory } from './batch-history';
import { dataMetrics, lossMetrics, type MetricValues } from './batch-metrics';
import { packMicrobatches } from './microbatches';
import { PolicyOptimizer, type StepHooks } from './policy-optimizer';
import { corrupt, type LoadedRun, restoreState } from './restore-state';
import { pruneOldVersions, sweepUncommitted } from './retention';
import { runPaths, versionFolder } from './run-directory';
import { readHead, writeHead } from './run-file';
import { readSavedOverrides, saveOverrides, settingsOf, withOverrides } from './run-settings';
import { readManifest, readSpoolBatch } from './spool';
import { buildTrainingBatch, hasNoSignal } from './training-batch';
import { saveTrainingState } from './training-state';
import { publishWeights, weightsBytes } from './weights-folder';

/** What the next batch is; `skip` = the studio gave it up. */
export type NextBatch = { readonly kind: 'skip' } | { readonly kind: 'batch'; readonly manifest: Manifest };

type Status = Exclude<Head['status'], 'none'>;
type Send = (message: TrainerMessage) => void;

interface Outcome {
  readonly status: Status;
  readonly sha: string | null;
  readonly metrics: MetricValues;
  /** rows that were left out, ascending */
  readonly dropped: readonly RowDrop[];
  /** what it was trained with; null = it was not looked at */
  readonly settings: RunSettings | null;
}

interface BatchToTrain {
  readonly batchId: number;
  /** of the weights it is trained on */
  readonly version: number;
  readonly manifest: Manifest;
}

/** Takes batches one by one, in order, and commits each exactly once. One call at a time. */
export class BatchRunner {
  readonly #loaded: LoadedRun;
  readonly #history: BatchHistory;
  readonly #send: Send;
  #optimizer: PolicyOptimizer;
  #overrides: RunSettings;
  #head: Head;

  private constructor(parts: {
    loaded: LoadedRun;
    history: BatchHistory;
    send: Send;
    optimizer: PolicyOptimizer;
    overrides: RunSettings;
    head: Head;
  }) {
    this.#loaded = parts.loaded;
    this.#history = parts.history;
    this.#send = parts.send;
    this.#optimizer = parts.optimizer;
    this.#overrides = parts.overrides;
    this.#head = parts.head;
  }

  /** Restores what HEAD names. After damage the lost batches are trained again and published as the next incarnation. */
  static async open(loaded: LoadedRun, send: Send, hooks: StepHooks): Promise<BatchRunner> {
    const { root, run, config, params } = loaded;
    const head = await readHead(root, run);
    await sweepUncommitted(root, head);
    const { state, damage } = await restoreState(root, head, loaded);
    const optimizer = new PolicyOptimizer(config, params, state.params, state.moments);
    const history = await BatchHistory.open(root);
    const overrides = await readSavedOverrides(root);
    const runner = new BatchRunner({ loaded, history, send, optimizer, overrides, head });
    if (damage !== null) {
      send({
        type: 'warn',
        code: 'checkpoint_fallback',
        message: `Training again from version ${state.name.version}: ${damage}`,
      });
      await runner.#replay(state.lastBatch, state.name.version, hooks);
    }
    return runner;
  }

  get head(): Head {
    return this.#head;
  }

  /** Tells the studio where HEAD stands; said again after every restart, because earlier messages may be lost. */
  async announce(): Promise<void> {
    const { version, last_batch } = this.#head;
    this.#send({ type: 'ready', version, last_batch });
    // a kill right after the commit leaves the report unsaid
    const entry = this.#history.find(last_batch);
    if (entry !== undefined) this.#send({ type: 'metrics', batch: last_batch, version, values: entry.metrics });
    await this.#sendWeights();
  }

  /** The batch after HEAD's last; null while the studio has not put it there. */
  async findNext(): Promise<NextBatch | null> {
    const { root } = this.#loaded;
    const batchId = this.#head.last_batch + 1;
    if (await exists(runPaths.skip(root, batchId))) return { kind: 'skip' };
    const manifest = await readManifest(root, batchId);
    return manifest === null ? null : { kind: 'batch', manifest };
  }

  /** Trains and commits the next batch. Until the commit nothing of it counts, after it the batch is done for good. */
  async take(next: NextBatch, waitedSeconds: number, hooks: StepHooks): Promise<void> {
    const { root } = this.#loaded;
    const batchId = this.#head.last_batch + 1;
    const [startedAt, startedCpu] = [hooks.now(), cpuSeconds()];
    const outcome =
      next.kind === 'skip'
        ? await this.#skipped(batchId)
        : await this.#process(
            { batchId, version: this.#head.version, manifest: next.manifest },
            this.#algorithmOf(next.manifest, this.#overrides),
            hooks,
          );
    const { metrics } = outcome;
    metrics['time/wait_batch'] = waitedSeconds;
    const saveFrom = hooks.now();
    await hooks.breathe('save', 0);
    const head = await this.#write(batchId, outcome, this.#head.version, this.#head.incarnation);
    metrics['time/save'] = hooks.now() - saveFrom;
    metrics['time/total'] = hooks.now() - startedAt;
    metrics['time/cpu'] = cpuSeconds() - startedCpu;
    metrics['mem/rss_mib'] = process.memoryUsage().rss / 2 ** 20;
    await this.#commit(batchId, outcome, head);
    this.#send({ type: 'metrics', batch: batchId, version: head.version, values: metrics });
    if (outcome.status === 'trained') await this.#sendWeights();
    const { status, settings } = outcome;
    const { version, dropped } = head;
    this.#send({ type: 'ack', batch: batchId, status, version, dropped, ...(settings === null ? {} : { settings }) });
    await pruneOldVersions(root, head);
  }

  /** Answers an offer of a batch that is done; false = it is not done yet. */
  async answerRepeat(batchId: number): Promise<boolean> {
    if (batchId > this.#head.last_batch) return false;
    const entry = this.#history.find(batchId);
    const manifest = await readManifest(this.#loaded.root, batchId).catch(() => null);
    if (manifest !== null && typeof entry?.sha === 'string' && entry.sha !== manifest.sha256) {
      const message = `Batch ${batchId} was trained with sha256 ${entry.sha}; another one of the same number is refused`;
      this.#send({ type: 'error', code: 'batch_conflict', message, retryable: false });
      return true;
    }
    const { version, dropped } = entry ?? { version: this.#head.version, dropped: [] };
    this.#send({ type: 'ack', batch: batchId, status: 'replayed', version, dropped });
    return true;
  }

  /** Changes settings from the next batch on, for good. Returns a problem in words, or null. */
  async set(values: RunSettings): Promise<string | null> {
    const overrides = { ...this.#overrides, ...values };
    const result = withOverrides(this.#loaded.run.algorithm, overrides);
    if (!result.ok) return result.problem;
    await saveOverrides(this.#loaded.root, overrides);
    this.#overrides = overrides;
    this.#send({ type: 'settings', values: settingsOf(result.algorithm) });
    return null;
  }

  async warmUp(length: number): Promise<void> {
    await this.#optimizer.warmUp(length, this.#loaded.run.algorithm.behave_weight);
  }

  async #process(
    { batchId, version, manifest }: BatchToTrain,
    algorithm: Algorithm,
    hooks: StepHooks,
  ): Promise<Outcome> {
    const { root, run, config } = this.#loaded;
    const loadFrom = hooks.now();
    await hooks.breathe('load', 0);
    const { data } = await readSpoolBatch(root, manifest, { runId: run.run_id, batchId, vocabSize: config.vocabSize });
    const batch = buildTrainingBatch(data, algorithm, version);
    const settings = settingsOf(algorithm);
    const metrics = {
      ...dataMetrics(batch, version),
      'settings/learning_rate': algorithm.learning_rate,
      'settings/kl_beta': algorithm.kl_beta,
      'time/load': hooks.now() - loadFrom,
    };
    const base = { sha: manifest.sha256, metrics, dropped: batch.dropped, settings };
    if (batch.rows.length === 0) {
      const isStale = batch.counts.staleTokens > 0;
      return { ...base, status: isStale ? 'too_stale' : 'no_signal' };
    }
    if (hasNoSignal(batch)) return { ...base, status: 'no_signal' };
    const report = await this.#optimizer.train(packMicrobatches(batch.rows, version), algorithm, hooks);
    if (report.outcome === 'skipped') {
      const message = `The gradients of batch ${batchId} were broken (norm ${report.gradientNorm}); it was left out`;
      this.#send({ type: 'warn', code: 'gradient_refused', message });
    }
    const seconds = report.seconds.reference + report.seconds.forwardBackward + report.seconds.optimizer;
    const speed = (batch.counts.tokens * algorithm.epochs) / seconds;
    return {
      ...base,
      status: report.outcome,
      dropped: [...batch.dropped, ...report.drift.dropped].sort((a, b) => a.row - b.row),
      metrics: { ...metrics, ...lossMetrics(algorithm, report), 'perf/train_tok_s': speed },
    };
  }

  async #skipped(batchId: number): Promise<Outcome> {
    const manifest = await readManifest(this.#loaded.root, batchId).catch(() => null);
    return { status: 'skipped', sha: manifest?.sha256 ?? null, metrics: {}, dropped: [], settings: null };
  }

  /** Puts the results of a batch on disk, flushed; nothing names them yet. Returns the HEAD that will. */
  async #write(batchId: number, outcome: Outcome, parent: number, incarnation: number): Promise<Head> {
    const base = {
      ...this.#head,
      last_batch: batchId,
      batch_sha: outcome.sha,
      status: outcome.status,
      dropped: [...outcome.dropped],
    };
    if (outcome.status !== 'trained') return base;
    const name = { version: parent + 1, incarnation };
    const weights = await this.#publish(name, parent, batchId);
    const ckpt = await this.#saveState(name, batchId);
    return { ...base, ...name, weights, ckpt };
  }

  async #publish(name: { version: number; incarnation: number }, parent: number, batchId: number): Promise<string> {
    const { root, run, config, sha256 } = this.#loaded;
    const relative = versionFolder('weights', name);
    await publishWeights(join(root, relative), {
      config,
      params: await this.#optimizer.weights(),
      modelPath: run.model_path,
      baseSha: sha256,
      about: { ...name, parent_version: parent, batch_id: batchId },
    });
    return relative;
  }

  async #saveState(name: { version: number; incarnation: number }, lastBatch: number): Promise<string> {
    const { root, config } = this.#loaded;
    return saveTrainingState(root, config, { name, lastBatch, moments: await this.#optimizer.moments() });
  }

  async #commit(batchId: number, { status, sha, metrics, settings }: Outcome, head: Head): Promise<void> {
    const { version, incarnation, dropped } = head;
    await this.#history.append({ batch: batchId, sha, status, version, incarnation, metrics, dropped, settings });
    await writeHead(this.#loaded.root, head);
    this.#head = head;
  }

  /** Trains the batches between an older state and HEAD again, then commits the result under the next incarnation. */
  async #replay(lastBatch: number, fromVersion: number, hooks: StepHooks): Promise<void> {
    const head = this.#head;
    let version = fromVersion;
    let lastTrained = lastBatch;
    for (let batchId = lastBatch + 1; batchId <= head.last_batch; batchId++) {
      const entry = this.#history.find(batchId);
      // what trained nothing the first time must train nothing now: its ratings have been given back
      if (entry !== undefined && entry.status !== 'trained') continue;
      const manifest = await readManifest(this.#loaded.root, batchId);
      if (manifest === null) throw corrupt(`batch ${batchId} is no longer in the spool, so it cannot be trained again`);
      if (typeof entry?.sha === 'string' && entry.sha !== manifest.sha256)
        throw corrupt(`batch ${batchId} in the spool is not the one that was trained`);
      const algorithm = this.#algorithmOf(manifest, entry?.settings ?? this.#overrides);
      const { status } = await this.#process({ batchId, version, manifest }, algorithm, hooks);
      if (status !== 'trained') continue;
      version += 1;
      lastTrained = batchId;
    }
    if (version !== head.version) throw corrupt(`training again gave version ${version}, HEAD says ${head.version}`);
    const name = { version, incarnation: head.incarnation + 1 };
    const weights = await this.#publish(name, version - 1, lastTrained);
    const ckpt = await this.#saveState(name, lastTrained);
    const next: Head = { ...head, schema: TRAINER_SCHEMA, ...name, weights, ckpt };
    await writeHead(this.#loaded.root, next);
    this.#head = next;
  }

  /** @param settings - those of `set`; of a batch that is trained again, those it was trained with the first time */
  #algorithmOf(manifest: Manifest, settings: RunSettings): Algorithm {
    const result = withOverrides(this.#loaded.run.algorithm, { ...settings, ...manifest.overrides });
    if (result.ok) return result.algorithm;
    const message = `The overrides of batch ${manifest.batch_id} are ignored: ${result.problem}`;
    this.#send({ type: 'warn', code: 'bad_override', message });
    return this.#loaded.run.algorithm;
  }

  async #sendWeights(): Promise<void> {
    const { version, incarnation, weights } = this.#head;
    const path = weights === null ? this.#loaded.run.model_path : join(this.#loaded.root, weights);
    const bytes = await weightsBytes(path);
    this.#send({ type: 'weights', version, incarnation, path, kind: 'full', bytes });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Processor time of this process: on a busy machine it says more than the clock. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}
