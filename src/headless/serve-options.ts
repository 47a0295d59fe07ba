import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { GatewayConfigInput } from '../gateway/config';
import { type Settings, settingsSchema } from '../shared/ipc/contract';
import { UsageError } from './command';
import { GATEWAY_FLAGS, GATEWAY_HELP, readGatewayFlags } from './gateway-flags';

export interface ServeOptions {
  readonly dataDir: string;
  readonly modelPath: string;
  readonly host: string;
  readonly port: number;
  readonly settings: Settings;
  readonly gatewaySettings: Partial<GatewayConfigInput>;
  readonly verbose: boolean;
}

/** Flags that set a field of the settings; ranges and defaults are those of the settings schema. */
const SETTING_FLAGS = {
  experiment: 'experiment',
  trial: 'trial',
  'batch-size': 'batchSize',
  baseline: 'baseline',
  'learning-rate': 'learningRate',
  'kl-beta': 'klBeta',
  temperature: 'temperature',
  'max-new-tokens': 'maxNewTokens',
} as const satisfies Record<string, keyof Settings>;

export const SERVE_HELP = `usage: plaudit serve [options]

Starts the gateway with the embedded engine and trainer, without a window, and prints its address.

  --data-dir DIR         ratings, weights, dumps and the admin key (default: PLAUDIT_DATA_DIR, or a folder of your user)
  --model DIR            seed model, ordinary Hugging Face files (default: the demo model)
  --host ADDRESS         address to listen on (default 127.0.0.1)
  --port NUMBER          0 picks a free port (default 8090)
  --batch-size N         rated trajectories that make a batch (default 16)
  --experiment NAME      first folder of the dump (default demo)
  --trial NAME           second folder of the dump (default trial-0)
  --baseline NAME        batch_loo, batch, grpo or rloo (default batch_loo)
  --learning-rate X      (default 5e-4)
  --kl-beta X            weight of the KL to the seed model (default 0.02)
  --temperature X        (default 1)
  --max-new-tokens N     new tokens when a caller names no limit (default 64)
${GATEWAY_HELP}
  --verbose              structured log lines on stderr
  --help                 this text
`;

/**
 * Flags and environment → options; null when help is asked for.
 *
 * @throws UsageError naming the flag
 */
export function parseServeOptions(
  args: readonly string[],
  environment: { readonly [name: string]: string | undefined },
  demoModelPath: string,
): ServeOptions | null {
  const flags = readFlags(args);
  if (flags.help === true) return null;
  const text = (name: string): string | undefined => {
    const value = flags[name];
    return typeof value === 'string' ? value : undefined;
  };
  const chosen: Record<string, unknown> = {};
  for (const [flag, field] of Object.entries(SETTING_FLAGS)) {
    const value = text(flag);
    if (value !== undefined)
      chosen[field] = typeof settingsSchema.shape[field].parse(undefined) === 'number' ? toNumber(value) : value;
  }
  const parsed = settingsSchema.safeParse(chosen);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const field = String(issue?.path[0] ?? '');
    const flag = Object.entries(SETTING_FLAGS).find(([, each]) => each === field)?.[0] ?? field;
    throw new UsageError(`--${flag}: ${issue?.message ?? 'is not valid'}`);
  }
  const port = toNumber(text('port') ?? '8090');
  if (!Number.isInteger(port) || port < 0 || port > 65535) throw new UsageError('--port: use a number from 0 to 65535');
  return {
    dataDir: resolve(text('data-dir') ?? environment.PLAUDIT_DATA_DIR ?? defaultDataDir(environment)),
    modelPath: resolve(text('model') ?? demoModelPath),
    host: text('host') ?? '127.0.0.1',
    port,
    settings: parsed.data,
    gatewaySettings: readGatewayFlags(text),
    verbose: flags.verbose === true,
  };
}

function readFlags(args: readonly string[]): Record<string, string | boolean | undefined> {
  const withValue = ['data-dir', 'model', 'host', 'port', ...Object.keys(SETTING_FLAGS), ...GATEWAY_FLAGS];
  const options = {
    ...Object.fromEntries(withValue.map((name) => [name, { type: 'string' as const }])),
    verbose: { type: 'boolean' as const },
    help: { type: 'boolean' as const, short: 'h' },
  };
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** An empty text is no number, although `Number` says 0. */
function toNumber(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

/** The window keeps its own folder; a server's data belongs where servers of this user keep theirs. */
function defaultDataDir(environment: { readonly [name: string]: string | undefined }): string {
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'plaudit-server');
  if (process.platform === 'win32') return join(environment.APPDATA ?? homedir(), 'plaudit-server');
  return join(environment.XDG_DATA_HOME ?? join(homedir(), '.local', 'share'), 'plaudit');
}
