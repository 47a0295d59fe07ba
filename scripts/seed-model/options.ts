import { parseArgs } from 'node:util';

export interface SeedModelOptions {
  readonly steps: number;
  readonly seed: number;
  readonly out: string;
  /** training state, for --resume and written on the way */
  readonly state: string;
  readonly resume: boolean;
  readonly learningRate: number;
  readonly weightDecay: number;
  readonly threads: number;
  readonly shards: number;
  readonly maxSeconds: number;
  readonly evaluateEvery: number;
}

export const USAGE = `npm run seed-model -- [options]
  --steps N            length of the whole schedule (default 1600)
  --seed N             initial weights and corpus (default 1)
  --out FOLDER         model folder to write (default .cache/seed-model/model)
  --state FILE         training state (default: <out>.state.safetensors)
  --resume             go on from the training state
  --learning-rate X    peak (default 0.004)
  --weight-decay X     default 0.02
  --threads N          default: one per core
  --shards N           microbatches of 512 tokens per step (default 16)
  --max-seconds N      stop early, keeping the state (default: never)
  --evaluate-every N   steps between evaluations (default 400)`;

export function readOptions(args: readonly string[], cores: number): SeedModelOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      steps: { type: 'string', default: '1600' },
      seed: { type: 'string', default: '1' },
      out: { type: 'string', default: '.cache/seed-model/model' },
      state: { type: 'string' },
      resume: { type: 'boolean', default: false },
      'learning-rate': { type: 'string', default: '0.004' },
      'weight-decay': { type: 'string', default: '0.02' },
      threads: { type: 'string', default: String(cores) },
      shards: { type: 'string', default: '16' },
      'max-seconds': { type: 'string', default: 'Infinity' },
      'evaluate-every': { type: 'string', default: '400' },
    },
  });
  const number = (
    name: 'steps' | 'seed' | 'learning-rate' | 'weight-decay' | 'threads' | 'shards' | 'max-seconds' | 'evaluate-every',
  ) => {
    const value = Number(values[name]);
    if (Number.isNaN(value) || value < 0) throw new Error(`--${name} ${values[name]} is not a number\n${USAGE}`);
    return value;
  };
  return {
    steps: number('steps'),
    seed: number('seed'),
    out: values.out,
    state: values.state ?? `${values.out}.state.safetensors`,
    resume: values.resume,
    learningRate: number('learning-rate'),
    weightDecay: number('weight-decay'),
    threads: Math.min(number('threads'), number('shards')),
    shards: number('shards'),
    maxSeconds: number('max-seconds'),
    evaluateEvery: number('evaluate-every'),
  };
}
