import type { Hono } from 'hono';
import { sessionId } from '../shared/domain/ids';
import type { Result } from '../shared/lib/result';
import type { Status } from '../shared/wire/rl';
import type { TrainingSettings } from '../shared/wire/trainer';
import type { TrajectoryFile } from '../shared/wire/trajectory-files';
import { TrainingCoordinator } from './actions/advance-training';
import { readBatchFill } from './actions/form-batch';
import { VersionPublisher } from './actions/publish-version';
import { readStatus } from './actions/read-status';
import { InteractionRunner } from './actions/run-interaction';
import { recoveryTrouble, storeTrouble } from './actions/store-trouble';
import { selectAnswerFormat } from './answers/select-format';
import type { Backend, EngineLocator } from './backends/backend';
import { SglangBackend } from './backends/sglang/sglang-backend';
import { ConfigError, type GatewayConfig } from './config';
import { createApp } from './http/app';
import { createFastLane } from './http/fast-lane';
import { isLoopback } from './http/guards';
import { arealRoutes, isHandover } from './http/routes/areal-routes';
import { answerChat, CHAT_PATHS, chatRoutes } from './http/routes/chat-routes';
import { exportRoutes } from './http/routes/export-routes';
import { messagesRoutes } from './http/routes/messages-routes';
import { metricsRoutes } from './http/routes/metrics-routes';
import { openApiRoutes } from './http/routes/openapi-routes';
import { responsesRoutes } from './http/routes/responses-routes';
import { rewardRoutes } from './http/routes/reward-routes';
import { serviceRoutes } from './http/routes/service-routes';
import { sessionRoutes } from './http/routes/session-routes';
import { trainingRoutes } from './http/routes/training-routes';
import { trajectoryRoutes } from './http/routes/trajectory-routes';
import { loadAdminKey } from './platform/admin-key';
import { type Clock, systemClock } from './platform/clock';
import { durableFiles } from './platform/durable-files';
import { EventHub } from './platform/event-hub';
import { lineFiles } from './platform/line-files';
import { type ListeningServer, listen } from './platform/listen';
import { createStderrLogger, errorText, type Logger } from './platform/logger';
import { Metrics } from './platform/metrics';
import { countParameters, openModelFolder } from './platform/model-files';
import { joinPath } from './platform/private-files';
import { type RandomSource, systemRandom } from './platform/random';
import { DumpLibrary } from './rollouts/dump-library';
import { TrajectoryDump } from './rollouts/trajectory-dump';
import { SessionCapacity } from './sessions/session-capacity';
import { SessionManager } from './sessions/session-manager';
import { BatchStore } from './store/batches';
import { CrashCounts } from './store/crash-counts';
import type { Database } from './store/database';
import { DroppedStore } from './store/dropped';
import { DumpedStore } from './store/dumped';
import { AwaitedSessions, GrantStore } from './store/grants';
import { GroupCommit } from './store/group-commit';
import { InteractionStore } from './store/interactions';
import { MetricsStore } from './store/metrics';
import { ReceiptStore } from './store/receipts';
import { openOrRecover } from './store/recovery';
import { ResponseStore } from './store/responses';
import { RewardStore } from './store/rewards';
import { SessionStore } from './store/sessions';
import { SetAsideStore } from './store/set-aside';
import { TrajectoryFactsStore } from './store/trajectory-facts';
import { TurnFactsStore } from './store/turn-facts';
import { type StoredVersion, VersionStore } from './store/versions';
import type { ChatTokenizer } from './tokenizer/chat-tokenizer';
import { loadChatTokenizer } from './tokenizer/huggingface-tokenizer';
import { RunFolder } from './trainer/run-folder';
import type { TrainerLink } from './trainer/trainer-link';
import { damageOfWeights } from './trainer/weight-sync';

export type { Backend, EngineLocator } from './backends/backend';
export { AdminKeyError } from './platform/admin-key';
export { ListenError } from './platform/listen';
export { ModelFolderError } from './platform/model-files';
export { DatabaseError } from './store/database-error';
export type { TrainerLink, TrainerLinkEvent } from './trainer/trainer-link';

/** What the gateway needs from its host. Only the two supervisors' ports have no default. */
export interface GatewayPorts {
  readonly engineLocator: EngineLocator;
  readonly trainerLink: TrainerLink;
  readonly clock?: Clock;
  readonly random?: RandomSource;
  readonly logger?: Logger;
  /** instead of the SGLang driver: tests, demo */
  readonly createBackend?: (tokenizer: ChatTokenizer) => Backend;
}

/** One running gateway; whoever created it closes it. */
export interface Gateway {
  readonly app: Hono;
  readonly adminKey: string;
  /** @throws ListenError when the address cannot be bound */
  listen(): Promise<{ readonly url: string; readonly port: number }>;
  /** the trainer's run directory */
  readonly runDir: string;
  /** root of this run's rollout dump */
  readonly dumpDir: string;
  /** What an engine should be started with: the newest committed weights, or the model folder before there are any. */
  engineLaunch(): EngineWeights;
  /** Every version worth trying, newest first; the model folder, version 0, last. */
  weightsNewestFirst(): EngineWeights[];
  /** Admits a dump that a person chose in a dialog; the refusal is a sentence for that person. */
  openTrajectories(path: string): Promise<Result<TrajectoryFile, string>>;
  /** Changes what of training may change within a run; the trainer uses it from its next batch on. */
  changeTraining(settings: Partial<TrainingSettings>): void;
  /** Refuses new answers; what is running may end. */
  stopIntake(): void;
  /** Stops answering, stores what runs as aborted, gives the database back. Calling it again does nothing. */
  close(): Promise<void>;
  status(): Status;
}

/** A folder of weights and the version it holds. */
export interface EngineWeights {
  readonly path: string;
  readonly version: number;
}

const CLOSE_GRACE_MS = 500;
const IDLE_CHECK_MS = 60_000;

/**
 * Joins the parts. Nothing listens until `listen`.
 *
 * @throws DatabaseError, ModelFolderError: the sentences say what to do
 */
export function createGateway(config: GatewayConfig, ports: GatewayPorts): Gateway {
  const clock = ports.clock ?? systemClock;
  const random = ports.random ?? systemRandom;
  const logger = ports.logger ?? createStderrLogger(() => clock.now());
  const events = new EventHub((error) => logger.log('error', 'event-listener-failed', { error: errorText(error) }));
  const adminKey = config.adminKey ?? loadAdminKey(config.dataDir, random);
  if (!isLoopback(config.host)) explainExposure(config, logger);
  const tokenizer = loadChatTokenizer(openModelFolder(config.modelPath));
  const model = {
    name: tokenizer.modelName,
    parameters: countParameters(config.modelPath),
    context_length: tokenizer.contextLength,
    is_demo: config.isDemoModel,
  };
  const runDir = joinPath(config.dataDir, 'runs', config.experiment, config.trial);
  const dumpDir = joinPath(config.fileroot ?? joinPath(config.dataDir, 'dumps'), config.experiment, config.trial);
  const database = openOrRecover(joinPath(runDir, 'plaudit.db'), clock.now());
  const recovered = recoveryTrouble(database);
  if (recovered !== null) logger.log('error', 'database-recovered', { message: recovered.message });
  const stores = createStores(database);
  const interrupted = stores.interactions.markInterrupted(clock.now());
  if (interrupted > 0) logger.log('warn', 'interactions-interrupted', { count: interrupted });

  const backend =
    ports.createBackend?.(tokenizer) ??
    new SglangBackend({ locator: ports.engineLocator, clock, random, logger, engineWaitMs: config.engineWaitMs });
  const unsubscribeBackend = backend.subscribe(() => events.publish({ kind: 'engine-change' }));
  const batches = new BatchStore(database);
  const admissibleRows = (config.maxHeadOffpolicyness + 1) * config.batchSize;
  const capacity: SessionCapacity = new SessionCapacity(
    {
      ...stores,
      grants: new GrantStore(database),
      clock,
      events,
      training: () => ({
        hasTrainer: training.hasTrainer(),
        batchId: batches.nextId() - 1,
        isBatchUnderWay: batches.findUnsettled() !== null,
      }),
      waitingRows: () => readBatchFill({ ...stores, batches, batchSize: config.batchSize }, admissibleRows).filled,
    },
    config,
  );
  const manager: SessionManager = new SessionManager(
    { database, ...stores, awaited: new AwaitedSessions(database), capacity, clock, random, events },
    {
      adminKey,
      defaultTurnDiscount: config.turnDiscount,
      defaultDiscountMode: config.discountMode,
      defaultUnratedPolicy: config.unratedPolicy,
      sessionTimeoutMs: config.sessionTimeoutMs,
      refreshTimeoutMs: config.refreshTimeoutMs,
      waitTimeoutMs: config.waitTimeoutMs,
    },
  );
  const endIdle = (): void => {
    // A full disk must not end the gateway: the next check tries again.
    manager.endIdle().catch((error: unknown) => logger.log('error', 'idle-check-failed', { error: errorText(error) }));
  };
  endIdle();
  const stopIdleCheck = clock.every(IDLE_CHECK_MS, endIdle);
  const shared = { database, ...stores, clock, random, events, logger, tokenizer, manager, adminKey };
  const calls = {
    ...shared,
    backend,
    format: selectAnswerFormat(config.answerFormat, tokenizer.chatTemplate),
    defaultMaxNewTokens: config.defaultMaxNewTokens,
  };
  const versions = new VersionStore(database);
  const runner = new InteractionRunner({
    ...calls,
    commits: new GroupCommit(database),
    sessions: manager,
    retryGraceMs: config.retryGraceMs,
    newestVersion: () => versions.newestNumber(),
  });
  events.subscribe(({ kind, session_id: ended }) => {
    if (kind !== 'session-end' || ended === undefined) return;
    tokenizer.forgetConversation(ended);
    runner.forgetSession(sessionId(ended));
  });
  const metrics = new MetricsStore(database);
  const run = new RunFolder(runDir, durableFiles);
  const publisher = new VersionPublisher({
    backend,
    versions,
    clock,
    events,
    logger,
    weightsPath: (path) => joinPath(runDir, path),
    damageOf: (path) => damageOfWeights(durableFiles, path),
  });
  const training = new TrainingCoordinator({
    ...shared,
    batches,
    crashes: new CrashCounts(database),
    setAside: new SetAsideStore(database),
    versions,
    metrics,
    run,
    link: ports.trainerLink,
    batchSize: config.batchSize,
    modelPath: config.modelPath,
    algorithm: config.algorithm,
    publish: () => publisher.publish(),
  });
  const weightsNewestFirst = (): EngineWeights[] => [
    ...[versions.newest(), versions.newestServed()]
      .filter((stored): stored is StoredVersion => stored !== null && stored.version > 0)
      .map(({ version, path }) => ({ version, path: joinPath(runDir, path) })),
    { version: 0, path: config.modelPath },
  ];
  const dump = new TrajectoryDump({
    ...shared,
    dumped: new DumpedStore(database),
    files: durableFiles,
    describeTokens: (ids) => tokenizer.describeTokens(ids),
    dumpDir,
  });
  const dumps = new DumpLibrary(lineFiles, clock, dumpDir);
  const closing = new AbortController();
  const status = (): Status =>
    readStatus({
      experiment: config.experiment,
      trial: config.trial,
      dumpDir: () => dumpDir,
      engine: () => backend.status(),
      trainedVersion: () => versions.newest()?.version ?? 0,
      trainer: () => training.trainer(),
      batch: () => training.batch(),
      setAside: () =>
        training.setAside().map(({ batchId, ratings, reason, at }) => ({
          batch_id: batchId,
          ratings,
          reason,
          at: new Date(at).toISOString(),
        })),
      model,
      capacity: () => manager.facts(),
      trouble: () =>
        [
          storeTrouble(database),
          recoveryTrouble(database),
          ...training.trouble(),
          publisher.trouble,
          dump.trouble,
        ].filter((line) => line !== null),
    });
  const http = { ...shared, runner, bodyLimitBytes: config.bodyLimitBytes, modelName: tokenizer.modelName };
  const receipts = new ReceiptStore(database);
  const rim = { ...config, boundHost: config.host, adminKey, clock, random, logger, database, metrics: new Metrics() };
  const app = createApp(rim, [
    chatRoutes(http),
    responsesRoutes({ ...http, ...calls, responses: new ResponseStore(database) }),
    messagesRoutes({ ...http, ...calls }),
    sessionRoutes({
      ...http,
      startSessionShape: config.startSessionShape,
      cancelAnswers: (id) => runner.cancelSession(id),
    }),
    arealRoutes(http),
    rewardRoutes(http),
    exportRoutes({ ...http, takeTimeoutMs: config.waitTimeoutMs, closing: closing.signal }),
    trajectoryRoutes({ ...http, dumps, facts: new TrajectoryFactsStore(database) }),
    trainingRoutes({ ...http, versions, metrics, receipts, training }),
    openApiRoutes(),
    metricsRoutes({
      adminKey,
      metrics: rim.metrics,
      sessions: stores.sessions,
      receipts,
      status,
      engineCalls: () => backend.calls(),
    }),
    serviceRoutes({ ...http, startedAt: clock.now(), closing: closing.signal, status }),
  ]);

  const lane = createFastLane(
    rim,
    new Map(CHAT_PATHS.map((path) => [path, (request, client) => answerChat(http, request, client)] as const)),
  );

  let server: ListeningServer | null = null;
  let closed: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    stopIdleCheck();
    closing.abort();
    manager.close();
    const serverClosed = server?.close(CLOSE_GRACE_MS);
    await runner.close();
    await serverClosed;
    await training.close();
    await dump.close();
    unsubscribeBackend();
    await backend.close();
    database.close();
  };
  return {
    app,
    adminKey,
    runDir,
    dumpDir,
    status,
    weightsNewestFirst,
    engineLaunch: () => weightsNewestFirst()[0] ?? { path: config.modelPath, version: 0 },
    openTrajectories: (path) => dumps.open(path),
    changeTraining: (settings) => training.changeSettings(settings),
    stopIntake: () => runner.stopIntake(),
    listen: async () => {
      // A trainer that is started next finds its run.json, and batches a crash left half-way are completed.
      training.start();
      await training.settled();
      dump.start();
      server = await listen((request, bindings) => app.fetch(request, bindings), lane, {
        ...config,
        isLeftAtEnd: isHandover,
      });
      logger.log('info', 'gateway-listening', { url: server.url });
      return { url: server.url, port: server.port };
    },
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/** Beyond loopback the key is all that protects the gateway, so it must be one that nobody chose. */
function explainExposure({ host, adminKey }: GatewayConfig, logger: Logger): void {
  if (adminKey !== null)
    throw new ConfigError(
      `Listening on ${host} lets other machines call the gateway, so it insists on an admin key it made itself: leave adminKey out.`,
    );
  const message = `Listening on ${host}: every machine that reaches this address can call the gateway. Who has the admin key reads all conversations, sets ratings and starts sessions; who has a session key talks and rates as that session. Traffic is not encrypted: put a TLS proxy before it.`;
  logger.log('warn', 'gateway-exposed', { host, message });
}

function createStores(database: Database): {
  readonly sessions: SessionStore;
  readonly interactions: InteractionStore;
  readonly rewards: RewardStore;
  readonly dropped: DroppedStore;
  readonly turns: TurnFactsStore;
} {
  return {
    sessions: new SessionStore(database),
    interactions: new InteractionStore(database),
    rewards: new RewardStore(database),
    dropped: new DroppedStore(database),
    turns: new TurnFactsStore(database),
  };
}
