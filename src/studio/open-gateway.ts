import { join } from 'node:path';
import {
  AdminKeyError,
  createGateway,
  DatabaseError,
  type Gateway,
  ListenError,
  ModelFolderError,
} from '../gateway/compose';
import { ConfigError, parseGatewayConfig } from '../gateway/config';
import { algorithmSchema } from '../shared/wire/trainer';
import type { GatewayHandle, OpenGatewayOptions } from './gateway-handle';
import { StudioError } from './studio-error';

/** Opens the real gateway and turns its ways of failing into sentences with advice. */
export async function openGateway(options: OpenGatewayOptions): Promise<GatewayHandle> {
  let gateway: Gateway | null = null;
  try {
    gateway = createGateway(toConfig(options), {
      engineLocator: options.engine,
      trainerLink: options.trainer,
      logger: { log: options.log },
    });
    const { url } = await gateway.listen();
    return toHandle(gateway, url, options);
  } catch (error) {
    await gateway?.close();
    throw toStudioError(error);
  }
}

function toConfig(options: OpenGatewayOptions): ReturnType<typeof parseGatewayConfig> {
  const { settings } = options;
  return parseGatewayConfig({
    ...options.gatewaySettings,
    host: options.host,
    port: options.port,
    dataDir: options.dataDir,
    modelPath: options.modelPath,
    isDemoModel: options.isDemoModel,
    experiment: settings.experiment,
    trial: settings.trial,
    batchSize: settings.batchSize,
    defaultMaxNewTokens: settings.maxNewTokens,
    allowedOrigins: [...options.allowedOrigins],
    algorithm: algorithmSchema.parse({
      baseline: settings.baseline,
      learning_rate: settings.learningRate,
      kl_beta: settings.klBeta,
    }),
  });
}

function toStudioError(error: unknown): unknown {
  if (error instanceof ListenError) return new StudioError('gateway', error.message, error.advice, { cause: error });
  if (error instanceof AdminKeyError || error instanceof DatabaseError)
    return new StudioError('gateway', error.message, error.advice, { cause: error });
  if (error instanceof ModelFolderError) {
    return new StudioError('model', error.message, 'Check the files of the model folder.', { cause: error });
  }
  if (error instanceof ConfigError) {
    return new StudioError('gateway', error.message, 'Change this setting.', { cause: error });
  }
  return error;
}

function toHandle(gateway: Gateway, url: string, options: OpenGatewayOptions): GatewayHandle {
  return {
    url,
    adminKey: gateway.adminKey,
    adminKeyPath: join(options.dataDir, 'admin-key'),
    runDir: gateway.runDir,
    dumpDir: gateway.dumpDir,
    weightsNewestFirst: () => gateway.weightsNewestFirst(),
    openTrajectories: (path) => gateway.openTrajectories(path),
    changeTraining: (settings) => gateway.changeTraining(settings),
    stopIntake: () => gateway.stopIntake(),
    close: () => gateway.close(),
  };
}
