import process from 'node:process';
import { ScriptedBackend } from './backends/scripted/scripted-backend';
import { createGateway, type EngineLocator, type GatewayPorts, type TrainerLink } from './compose';
import { parseGatewayConfig } from './config';

/**
 * The gateway alone, for development and tests. Settings come from the environment:
 *
 * `PLAUDIT_DATA_DIR` and `PLAUDIT_MODEL_PATH` (both needed), `PLAUDIT_HOST`, `PLAUDIT_PORT`, `PLAUDIT_ADMIN_KEY`,
 * `PLAUDIT_ENGINE_URL` and `PLAUDIT_ENGINE_KEY`. Without an engine it answers from a script, slowly enough to watch.
 * Prints one line of JSON with its address, then logs to stderr.
 */
async function main(): Promise<void> {
  const { env } = process;
  const config = parseGatewayConfig({
    dataDir: needed('PLAUDIT_DATA_DIR'),
    modelPath: needed('PLAUDIT_MODEL_PATH'),
    host: env.PLAUDIT_HOST,
    port: env.PLAUDIT_PORT === undefined ? undefined : Number(env.PLAUDIT_PORT),
    adminKey: env.PLAUDIT_ADMIN_KEY ?? null,
  });
  const gateway = createGateway(config, {
    engineLocator: fixedEngine(env.PLAUDIT_ENGINE_URL ?? null, env.PLAUDIT_ENGINE_KEY ?? null),
    trainerLink: noTrainer,
    ...(env.PLAUDIT_ENGINE_URL === undefined ? { createBackend: createDemoBackend } : {}),
  });
  const { url } = await gateway.listen();
  process.stdout.write(`${JSON.stringify({ url, admin_key_file: config.adminKey === null })}\n`);
  const stop = (): void => void gateway.close().then(() => process.exit(0));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}

function needed(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`Set ${name}.`);
  return value;
}

function fixedEngine(url: string | null, apiKey: string | null): EngineLocator {
  return { current: () => (url === null ? null : { url, apiKey }), subscribe: () => () => undefined };
}

const noTrainer: TrainerLink = { send: () => false, subscribe: () => () => undefined };

const DEMO_TEXT = 'This gateway has no engine; it answers from a script. ';
const DEMO_PAUSE_MS = 20;

const createDemoBackend: NonNullable<GatewayPorts['createBackend']> = (tokenizer) =>
  new ScriptedBackend({
    encode: (text) => tokenizer.encode(text),
    stopTokenId: tokenizer.stopTokenIds[0] ?? 0,
    contextLength: tokenizer.contextLength,
    script: () =>
      DEMO_TEXT.split(/(?<= )/).flatMap((word) => [
        { kind: 'text', text: word },
        {
          kind: 'wait',
          get until(): Promise<void> {
            return new Promise((resolve) => setTimeout(resolve, DEMO_PAUSE_MS));
          },
        },
      ]),
  });

main().catch((error: unknown) => {
  const advice = error instanceof Error && 'advice' in error ? ` ${String(error.advice)}` : '';
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}${advice}\n`);
  process.exit(1);
});
