import { join } from 'node:path';
import type { GatewayConfigInput } from '../gateway/config';
import type { StudioTrouble } from '../shared/ipc/contract';
import { embeddedEngineProgram } from '../supervisor/embedded-engine-command';
import { LogFile } from '../supervisor/log-file';
import { OrphanLedger } from '../supervisor/orphan-ledger';
import { type ProcessStatus, SupervisedProcess } from '../supervisor/supervised-process';
import { embeddedTrainerProgram } from '../supervisor/trainer-command';
import { prepareDataDir } from './data-layout';
import { engineLocatorOf } from './engine-locator';
import type { GatewayHandle, OpenGateway, StudioLog, StudioSettings } from './gateway-handle';
import { openGateway as openRealGateway } from './open-gateway';
import { stopWithin } from './stop-within';
import { StudioError } from './studio-error';
import { claimDataDir } from './studio-lock';
import { trainerStdioLink } from './trainer-stdio-link';
import { TroubleList } from './trouble-list';
import { damageOf, pickWeights } from './weights-folder';

export type StudioProcessName = 'engine' | 'trainer';

export interface StudioOptions {
  readonly dataDir: string;
  /** the seed model: a folder of ordinary Hugging Face files */
  readonly modelPath: string;
  /** holds `engine.cjs` and `trainer.cjs` */
  readonly programsDir: string;
  readonly host?: string;
  /** 0 = any free port */
  readonly port?: number;
  readonly settings: StudioSettings;
  readonly gatewaySettings?: Partial<GatewayConfigInput>;
  readonly allowedOrigins?: readonly string[];
  readonly isDemoModel?: boolean;
  readonly log: StudioLog;
  /** instead of the real one: tests */
  readonly openGateway?: OpenGateway;
}

export type StudioEvent =
  | { readonly kind: 'process-change'; readonly process: ProcessStatus<StudioProcessName> }
  | { readonly kind: 'trouble'; readonly trouble: readonly StudioTrouble[] };

/** A gateway with its engine and its trainer; what the window and the headless program both start. */
export interface Studio {
  readonly gateway: GatewayHandle;
  readonly logDir: string;
  processes(): ProcessStatus<StudioProcessName>[];
  processLog(name: StudioProcessName): string[];
  /** stops it if it runs and starts it with a clean record */
  restartProcess(name: StudioProcessName): Promise<void>;
  trouble(): readonly StudioTrouble[];
  subscribe(listener: (event: StudioEvent) => void): () => void;
  /** No new work, then trainer, engine, gateway; resolves within about ten seconds with nothing left running. */
  stop(): Promise<void>;
}

/**
 * Opens the gateway first, so that ratings are safe even when the engine cannot start, then starts the children.
 *
 * Resolves as soon as the gateway answers; the children report themselves by events.
 *
 * @throws StudioError when the data folder, the model or the gateway makes a start impossible
 */
export async function startStudio(options: StudioOptions): Promise<Studio> {
  const layout = prepareDataDir(options.dataDir);
  const releaseDataDir = await claimDataDir(layout.lockFile);
  const listeners = new Set<(event: StudioEvent) => void>();
  const emit = (event: StudioEvent): void => {
    for (const listener of [...listeners]) listener(event);
  };
  const trouble = new TroubleList((list) => emit({ kind: 'trouble', trouble: list }));
  const ledger = new OrphanLedger(layout.processLedger);

  let gateway: GatewayHandle | null = null;
  const opened = (): GatewayHandle => {
    if (gateway === null) throw new Error('a child was started before the gateway was open');
    return gateway;
  };
  const engine = new SupervisedProcess(
    embeddedEngineProgram({
      script: join(options.programsDir, 'engine.cjs'),
      weights: () => chooseWeights(opened(), trouble),
    }),
    { now: Date.now, ledger, logFile: new LogFile(join(layout.logDir, 'engine.log')) },
  );
  const trainer = new SupervisedProcess(
    // The run folder is known only once the gateway is open; the trainer is started after that.
    lazily(() => embeddedTrainerProgram({ script: join(options.programsDir, 'trainer.cjs'), runDir: opened().runDir })),
    { now: Date.now, ledger, logFile: new LogFile(join(layout.logDir, 'trainer.log')) },
  );
  const children = { engine, trainer } as const;

  try {
    await requireModel(options.modelPath);
    const ended = await ledger.sweep();
    if (ended.length > 0) options.log('warn', 'orphans-ended', { names: ended });
    gateway = await (options.openGateway ?? openRealGateway)({
      dataDir: layout.dataDir,
      modelPath: options.modelPath,
      host: options.host ?? '127.0.0.1',
      port: options.port ?? 0,
      settings: options.settings,
      gatewaySettings: options.gatewaySettings ?? {},
      allowedOrigins: options.allowedOrigins ?? [],
      isDemoModel: options.isDemoModel ?? false,
      engine: engineLocatorOf(engine),
      trainer: trainerStdioLink(trainer, (line, problem) =>
        options.log('warn', 'trainer-bad-line', { line: line.slice(0, 200), problem }),
      ),
      log: options.log,
    });
  } catch (error) {
    releaseDataDir();
    throw error;
  }

  for (const child of [engine, trainer]) {
    child.subscribe((event) => {
      if (event.kind !== 'change') return;
      const status: ProcessStatus<StudioProcessName> = child.status();
      options.log(status.state === 'failed' ? 'error' : 'info', 'process-change', status);
      reportFailure(status, trouble);
      emit({ kind: 'process-change', process: status });
    });
  }
  options.log('info', 'gateway-open', { url: gateway.url });
  void engine.start();
  void trainer.start();

  let stopping: Promise<void> | null = null;
  const openGatewayHandle = gateway;
  return {
    gateway: openGatewayHandle,
    logDir: layout.logDir,
    processes: () => [engine.status(), trainer.status()],
    processLog: (name) => children[name].logLines(),
    restartProcess: (name) => children[name].restart(),
    trouble: () => trouble.list(),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop() {
      stopping ??= stopInOrder(openGatewayHandle, children, options.log).finally(releaseDataDir);
      return stopping;
    },
  };
}

/** Grace periods in ms; what outlives its own is ended by force, so that the whole stays near ten seconds. */
const STOP_GRACE = { trainer: 6000, engine: 2000, gateway: 2000 } as const;

async function stopInOrder(
  gateway: GatewayHandle,
  children: { readonly engine: SupervisedProcess<'engine'>; readonly trainer: SupervisedProcess<'trainer'> },
  log: StudioLog,
): Promise<void> {
  gateway.stopIntake();
  // The trainer gets the longest grace: it finishes and saves the batch in hand. A batch cut short is done again later.
  await children.trainer.stop(STOP_GRACE.trainer);
  await children.engine.stop(STOP_GRACE.engine);
  if (!(await stopWithin(gateway.close(), STOP_GRACE.gateway))) log('warn', 'gateway-close-slow', {});
  log('info', 'studio-stopped', {});
}

async function requireModel(modelPath: string): Promise<void> {
  const damage = await damageOf(modelPath);
  if (damage === null) return;
  throw new StudioError(
    'model',
    `The model cannot be used: ${damage}.`,
    'Give a folder with config.json, tokenizer.json and model.safetensors, or make the demo model with `npm run seed-model`.',
  );
}

async function chooseWeights(gateway: GatewayHandle, trouble: TroubleList): Promise<{ path: string; version: number }> {
  const { weights, damaged } = await pickWeights(gateway.weightsNewestFirst());
  const newest = damaged[0];
  if (newest === undefined) trouble.clear('weights-damaged');
  else {
    trouble.report({
      kind: 'weights-damaged',
      message: `Version ${newest.version} cannot be served: ${newest.reason}.`,
      advice: weights === null ? 'Restore the folder from a backup.' : `Version ${weights.version} answers instead.`,
    });
  }
  if (weights === null) throw new Error('No version of the weights can be loaded.');
  return weights;
}

function reportFailure(status: ProcessStatus<StudioProcessName>, trouble: TroubleList): void {
  const kind = `${status.name}-failed`;
  if (status.state === 'ready' || status.state === 'stopped') trouble.clear(kind);
  if (status.state !== 'failed') return;
  trouble.report({
    kind,
    message: status.detail ?? `The ${status.name} does not run.`,
    advice:
      status.name === 'engine'
        ? 'Ratings are safe. Restart the engine on the Training screen, or look at its log there.'
        : 'Rated answers wait until it runs. Restart the trainer on the Training screen, or look at its log there.',
  });
}

/** A program whose parts are asked only when they are needed. */
function lazily(make: () => ReturnType<typeof embeddedTrainerProgram>): ReturnType<typeof embeddedTrainerProgram> {
  const shape = embeddedTrainerProgram({ script: '', runDir: '' });
  return { ...shape, command: () => make().command() };
}
