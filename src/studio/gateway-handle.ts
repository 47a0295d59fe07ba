import type { EngineLocator, TrainerLink } from '../gateway/compose';
import type { GatewayConfigInput } from '../gateway/config';
import type { Settings } from '../shared/ipc/contract';
import type { Result } from '../shared/lib/result';
import type { TrainingSettings } from '../shared/wire/trainer';
import type { TrajectoryFile } from '../shared/wire/trajectory-files';
import type { EngineWeights } from '../supervisor/embedded-engine-command';

/** What of the settings a gateway needs at its start. */
export type StudioSettings = Pick<
  Settings,
  'experiment' | 'trial' | 'batchSize' | 'baseline' | 'learningRate' | 'klBeta' | 'temperature' | 'maxNewTokens'
>;

/** A running gateway, as the studio sees it; `open-gateway.ts` makes the real one. */
export interface GatewayHandle {
  readonly url: string;
  readonly adminKey: string;
  /** where a person finds the admin key */
  readonly adminKeyPath: string;
  /** the trainer's run directory; holds `run.json` once the gateway is open */
  readonly runDir: string;
  readonly dumpDir: string;
  /** every loadable version, the seed model last */
  weightsNewestFirst(): readonly EngineWeights[];
  /** admits a path that a person chose; a path from the renderer is never opened */
  openTrajectories(path: string): Promise<Result<TrajectoryFile, string>>;
  /** from the trainer's next batch on, within the same run */
  changeTraining(settings: Partial<TrainingSettings>): void;
  /** refuses new work; what is running may end */
  stopIntake(): void;
  close(): Promise<void>;
}

export interface OpenGatewayOptions {
  readonly dataDir: string;
  readonly modelPath: string;
  readonly host: string;
  /** 0 = any free port */
  readonly port: number;
  readonly settings: StudioSettings;
  /** settings of the gateway that only a server has flags for */
  readonly gatewaySettings: Partial<GatewayConfigInput>;
  /** web origins that may call the gateway: the window's own page */
  readonly allowedOrigins: readonly string[];
  /** the model that comes with Plaudit */
  readonly isDemoModel: boolean;
  readonly engine: EngineLocator;
  readonly trainer: TrainerLink;
  readonly log: StudioLog;
}

/** One structured log line; never prompt or completion text. */
export type StudioLog = (level: 'debug' | 'info' | 'warn' | 'error', event: string, fields?: object) => void;

export type OpenGateway = (options: OpenGatewayOptions) => Promise<GatewayHandle>;
