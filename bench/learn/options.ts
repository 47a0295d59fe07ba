import { parseArgs } from 'node:util';

export interface LearnOptions {
  /** a running gateway; null: start one in a temporary folder */
  readonly url: string | null;
  readonly adminKey: string | null;
  readonly program: string;
  readonly model: string | null;
  readonly versions: number;
  readonly batchSize: number;
  readonly learningRate: number | null;
  readonly evaluationRounds: number;
  readonly seed: number;
  readonly minimumRise: number;
}

export const USAGE = `npm run demo:learn -- [options]
Rates the demo model as a simulated person until several versions were trained, and measures it before and after.
  --url URL --admin-key KEY   use a running gateway (default: start one in a temporary folder)
  --program FILE              the built command (default out/programs/plaudit.cjs)
  --model FOLDER              seed model (default: the demo model)
  --versions N                versions to train (default 24)
  --batch-size N              ratings per version (default 32: a steadier curve than the app's 16)
  --learning-rate X           (default: the gateway's)
  --evaluation-rounds N       answers per evaluation prompt (default 2)
  --seed N                    of the questions asked (default 1)
  --minimum-rise X            mean reward that must be gained, else the exit code is 1 (default 0.3)`;

export function readOptions(args: readonly string[], root: string): LearnOptions {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      url: text,
      'admin-key': text,
      program: text,
      model: text,
      versions: text,
      'batch-size': text,
      'learning-rate': text,
      'evaluation-rounds': text,
      seed: text,
      'minimum-rise': text,
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) {
    console.log(USAGE);
    process.exit(0);
  }
  const number = (value: string | undefined, fallback: number): number => {
    const read = value === undefined ? fallback : Number(value);
    if (!Number.isFinite(read)) throw new Error(`${value} is not a number\n${USAGE}`);
    return read;
  };
  if ((values.url === undefined) !== (values['admin-key'] === undefined)) {
    throw new Error(`--url and --admin-key go together\n${USAGE}`);
  }
  return {
    url: values.url ?? null,
    adminKey: values['admin-key'] ?? null,
    program: values.program ?? `${root}out/programs/plaudit.cjs`,
    model: values.model ?? null,
    versions: number(values.versions, 24),
    batchSize: number(values['batch-size'], 32),
    learningRate: values['learning-rate'] === undefined ? null : number(values['learning-rate'], 0),
    evaluationRounds: number(values['evaluation-rounds'], 2),
    seed: number(values.seed, 1),
    minimumRise: number(values['minimum-rise'], 0.3),
  };
}
