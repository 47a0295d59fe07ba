import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interactionId, sessionId } from '../../../shared/domain/ids';
import { algorithmSchema, batchName, type TrainerCommand, type TrainerMessage } from '../../../shared/wire/trainer';
import { TrainingCoordinator } from '../../actions/advance-training';
import { VersionPublisher } from '../../actions/publish-version';
import type { Backend, BackendStatus, PublishOutcome } from '../../backends/backend';
import { type DurableFiles, durableFiles } from '../../platform/durable-files';
import { EventHub } from '../../platform/event-hub';
import { silentLogger } from '../../platform/logger';
import { systemRandom } from '../../platform/random';
import { BatchStore } from '../../store/batches';
import { CrashCounts } from '../../store/crash-counts';
import { openDatabase } from '../../store/database';
import { DroppedStore } from '../../store/dropped';
import { InteractionStore } from '../../store/interactions';
import { MetricsStore } from '../../store/metrics';
import { ReceiptStore } from '../../store/receipts';
import { RewardStore } from '../../store/rewards';
import { SessionStore } from '../../store/sessions';
import { SetAsideStore } from '../../store/set-aside';
import { SAMPLE_ANSWER, sampleRunning, sampleSession } from '../../store/testing/sample-rows';
import { TurnFactsStore } from '../../store/turn-facts';
import { VersionStore } from '../../store/versions';
import { RunFolder } from '../run-folder';
import type { TrainerLinkEvent } from '../trainer-link';
import { damageOfWeights } from '../weight-sync';
import { FileTrainer } from './file-trainer';

/** An engine of which only the served version matters; `answer` decides the fate of the next publish. */
export class FakeEngine implements Backend {
  served = 0;
  /** the folder it was given last */
  path = '';
  readonly history: number[] = [];
  answer: PublishOutcome = { kind: 'served' };

  // biome-ignore lint/correctness/useYield: nothing is generated in these tests
  async *generate(): AsyncGenerator<never, void, undefined> {
    throw new Error('not part of these tests');
  }
  async publish({ path, version }: { readonly path: string; readonly version: number }): Promise<PublishOutcome> {
    if (this.answer.kind === 'served') {
      this.path = path;
      this.served = version;
      this.history.push(version);
    }
    return this.answer;
  }
  status(): BackendStatus {
    return {
      state: 'serving',
      detail: null,
      name: 'fake',
      servedVersion: this.served,
      contextLength: 256,
      running: 0,
      supports: { jsonSchema: false, topLogprobs: false },
    };
  }
  calls(): ReturnType<Backend['calls']> {
    return { open: 0, waiting: 0 };
  }
  subscribe(): () => void {
    return () => undefined;
  }
  async close(): Promise<void> {}
}

/** A database, a run folder, a file trainer and an engine that outlive any number of gateways. */
export class TrainingBench {
  readonly dir = mkdtempSync(join(tmpdir(), 'plaudit-training-'));
  readonly database = openDatabase(join(this.dir, 'plaudit.db'));
  readonly trainer = new FileTrainer(this.dir);
  readonly engine = new FakeEngine();
  readonly commands: TrainerCommand[] = [];
  readonly receipts = new ReceiptStore(this.database);
  readonly batches = new BatchStore(this.database);
  readonly rewards = new RewardStore(this.database);
  readonly versions = new VersionStore(this.database);
  readonly metrics = new MetricsStore(this.database);
  now = 1_000_000;
  #gateway: TrainingCoordinator | null = null;
  #publisher: VersionPublisher | null = null;
  #listener: ((event: TrainerLinkEvent) => void) | null = null;
  #rated = 0;
  #disk: MortalDisk | null = null;

  constructor(
    private readonly batchSize: number,
    private readonly files: DurableFiles = durableFiles,
  ) {}

  /** Kills the running gateway: the write it is in ends, nothing after it happens. */
  async kill(): Promise<void> {
    await this.#disk?.die();
  }

  /** Starts a gateway on what is there; `kill` the one before first, two never share a run folder. */
  start(): TrainingCoordinator {
    const disk = new MortalDisk(this.files);
    this.#disk = disk;
    const stores = this.#stores();
    const events = new EventHub();
    const clock = { now: () => this.now, sleep: async () => undefined, every: () => () => undefined };
    const publisher = new VersionPublisher({
      backend: this.engine,
      versions: stores.versions,
      clock,
      events,
      logger: silentLogger,
      weightsPath: (path) => join(this.dir, path),
      damageOf: (path) => damageOfWeights(disk.files, path),
    });
    const gateway = new TrainingCoordinator({
      ...stores,
      database: this.database,
      clock,
      events,
      logger: silentLogger,
      random: systemRandom,
      run: new RunFolder(this.dir, disk.files),
      link: {
        send: (command) => this.commands.push(command) > 0,
        subscribe: (listener) => {
          this.#listener = listener;
          return () => undefined;
        },
      },
      batchSize: this.batchSize,
      modelPath: '/model',
      algorithm: algorithmSchema.parse({}),
      publish: () => publisher.publish(),
    });
    this.#gateway = gateway;
    this.#publisher = publisher;
    gateway.start();
    return gateway;
  }

  get publisherTrouble(): string | null {
    return this.#publisher?.trouble?.message ?? null;
  }

  /** One pass of the gateway, to its end. */
  async pass(): Promise<void> {
    this.now += 60_000;
    await this.#gateway?.settled();
  }

  say(message: TrainerMessage): void {
    this.#listener?.({ kind: 'message', message });
  }

  die(code: number | null, signal: string | null = null): void {
    this.#listener?.({ kind: 'gone', code, signal });
  }

  remove(path: string): void {
    rmSync(join(this.dir, path));
  }

  hasSkip(batchId: number): boolean {
    return existsSync(join(this.dir, 'skip', `${batchName(batchId)}.json`));
  }

  /** One answer, rated, its session ended. @returns its interaction id */
  rate(
    value: number,
    options: { readonly version?: number; readonly end?: boolean; readonly turns?: number } = {},
  ): string {
    const { sessions, interactions, rewards } = this.#stores();
    this.#rated += 1;
    const session = `s-${this.#rated}`;
    const id = interactionId(`i-${this.#rated}`);
    const version = options.version ?? this.engine.served;
    const turns = options.turns ?? 1;
    sessions.insert(sampleSession(session, { turnDiscount: turns > 1 ? 1 : 0 }));
    for (let turn = 0; turn < turns - 1; turn += 1) {
      interactions.insertRunning(sampleRunning(`${id}-${turn}`, session));
      interactions.finish(interactionId(`${id}-${turn}`), SAMPLE_ANSWER);
    }
    interactions.insertRunning(sampleRunning(id, session));
    const output = { ...SAMPLE_ANSWER.output, versions: [version, version] };
    interactions.finish(id, { ...SAMPLE_ANSWER, output });
    rewards.set({ interactionId: id, value, raterId: null, note: null, ratedAt: this.now });
    if (options.end !== false) sessions.end(sessionId(session), this.now, 'client');
    return id;
  }

  close(): void {
    this.database.close();
    rmSync(this.dir, { recursive: true, force: true });
  }

  #stores() {
    const { database } = this;
    return {
      batches: new BatchStore(database),
      dropped: new DroppedStore(database),
      turns: new TurnFactsStore(database),
      crashes: new CrashCounts(database),
      setAside: new SetAsideStore(database),
      versions: new VersionStore(database),
      metrics: new MetricsStore(database),
      interactions: new InteractionStore(database),
      rewards: new RewardStore(database),
      sessions: new SessionStore(database),
    };
  }
}

/** A disk whose operations never come back once its process is dead. */
class MortalDisk {
  readonly files: DurableFiles;
  readonly #running = new Set<Promise<unknown>>();
  #isDead = false;

  constructor(files: DurableFiles) {
    const guard =
      <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        if (this.#isDead) return new Promise<R>(() => undefined);
        const running = work(...args);
        this.#running.add(running);
        try {
          const result = await running;
          return this.#isDead ? await new Promise<R>(() => undefined) : result;
        } finally {
          this.#running.delete(running);
        }
      };
    this.files = {
      read: guard(files.read),
      readRange: guard(files.readRange),
      size: guard(files.size),
      exists: guard(files.exists),
      replace: guard(files.replace),
      publishFolder: guard(files.publishFolder),
      moveAside: guard(files.moveAside),
      append: guard(files.append),
      truncate: guard(files.truncate),
      sha256: guard(files.sha256),
    };
  }

  async die(): Promise<void> {
    this.#isDead = true;
    await Promise.allSettled([...this.#running]);
  }
}
