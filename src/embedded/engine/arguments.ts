/** The command line of the engine, checked. */
export interface EngineArguments {
  readonly modelPath: string;
  readonly servedModelName: string;
  readonly host: string;
  /** 0 picks a free port */
  readonly port: number;
  /** null: what the model allows */
  readonly contextLength: number | null;
  /** null: a random one */
  readonly randomSeed: number | null;
  readonly weightVersion: string;
  readonly apiKey: string | null;
  readonly maxRunningRequests: number;
  readonly maxQueuedRequests: number;
  /** cached positions of the running batch; null: what fits the default memory */
  readonly maxTotalTokens: number | null;
  readonly loadFormat: 'auto' | 'dummy';
  readonly logLevel: string;
  readonly exitOnStdinEof: boolean;
}

export type ArgumentsResult =
  | { readonly ok: true; readonly value: EngineArguments; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly message: string };

const VALUE_FLAGS = new Set([
  ...['model-path', 'served-model-name', 'host', 'port', 'context-length', 'random-seed', 'weight-version', 'api-key'],
  ...['max-running-requests', 'max-queued-requests', 'max-total-tokens', 'load-format', 'log-level', 'device'],
]);

/** Reads `--flag value` and `--flag=value`. Flags of other engines are accepted with a warning, so one command line fits all. */
export function readArguments(argv: readonly string[]): ArgumentsResult {
  const values = new Map<string, string>();
  const warnings: string[] = [];
  let exitOnStdinEof = false;
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] ?? '';
    if (!argument.startsWith('--')) return refuse(`unrecognized arguments: ${argument}`);
    const [name = '', attached] = splitOnce(argument.slice(2));
    if (name === 'exit-on-stdin-eof') {
      exitOnStdinEof = true;
      continue;
    }
    const next = argv[i + 1];
    const isNextValue = attached === null && next !== undefined && !next.startsWith('--');
    if (isNextValue) i++;
    const value = attached ?? (isNextValue ? next : null);
    if (!VALUE_FLAGS.has(name)) warnings.push(`--${name} is not known to this engine and has no effect`);
    else if (value === null) return refuse(`argument --${name}: expected one argument`);
    else values.set(name, value);
  }
  return check(values, warnings, exitOnStdinEof);
}

function check(values: ReadonlyMap<string, string>, warnings: string[], exitOnStdinEof: boolean): ArgumentsResult {
  const modelPath = values.get('model-path');
  if (modelPath === undefined || modelPath === '') return refuse('the following arguments are required: --model-path');
  const loadFormat = values.get('load-format') ?? 'auto';
  if (loadFormat !== 'auto' && loadFormat !== 'dummy')
    return refuse(`argument --load-format: invalid choice: '${loadFormat}'`);
  const device = values.get('device') ?? 'cpu';
  if (device !== 'cpu') return refuse(`argument --device: invalid choice: '${device}' (this engine runs on cpu)`);
  const numbers = {
    port: readCount(values, 'port', 0, 65_535),
    'context-length': readCount(values, 'context-length', 2, 1_000_000),
    'random-seed': readCount(values, 'random-seed', 0, Number.MAX_SAFE_INTEGER),
    'max-running-requests': readCount(values, 'max-running-requests', 1, 256),
    'max-queued-requests': readCount(values, 'max-queued-requests', 1, 1_000_000),
    'max-total-tokens': readCount(values, 'max-total-tokens', 1, 100_000_000),
  };
  for (const [name, value] of Object.entries(numbers)) {
    if (Number.isNaN(value)) return refuse(`argument --${name}: invalid value: '${values.get(name)}'`);
  }
  const apiKey = values.get('api-key') ?? null;
  if (apiKey === '') return refuse('argument --api-key: must not be empty');
  const host = values.get('host') ?? '127.0.0.1';
  if (apiKey === null && !['127.0.0.1', 'localhost', '::1'].includes(host)) {
    warnings.push(`listening on ${host} without --api-key: anyone who reaches this address controls the engine`);
  }
  return {
    ok: true,
    warnings,
    value: {
      modelPath,
      servedModelName: values.get('served-model-name') ?? modelPath,
      host,
      port: numbers.port ?? 30_000,
      contextLength: numbers['context-length'],
      randomSeed: numbers['random-seed'],
      weightVersion: values.get('weight-version') ?? 'default',
      apiKey,
      maxRunningRequests: numbers['max-running-requests'] ?? 32,
      maxQueuedRequests: numbers['max-queued-requests'] ?? 1024,
      maxTotalTokens: numbers['max-total-tokens'],
      loadFormat,
      logLevel: values.get('log-level') ?? 'info',
      exitOnStdinEof,
    },
  };
}

/** The number, null when absent, NaN when it is not a whole number in range. */
function readCount(values: ReadonlyMap<string, string>, name: string, min: number, max: number): number | null {
  const text = values.get(name);
  if (text === undefined) return null;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : Number.NaN;
}

function splitOnce(text: string): [string, string | null] {
  const at = text.indexOf('=');
  return at < 0 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}

function refuse(message: string): ArgumentsResult {
  return { ok: false, message };
}
