import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  algorithmSchema,
  type Run,
  TRAINER_SCHEMA,
  type TrainerCommand,
  type TrainerMessage,
  trainerMessageSchema,
} from '../../../shared/wire/trainer';
import type { LlamaConfig } from '../../model/llama-config';
import { referenceLogits } from '../../model/testing/reference-forward';
import { mulberry32, randomParams, TINY_CONFIG, writeTinyCheckpoint } from '../../model/testing/tiny-checkpoint';
import type { SpoolSession } from './spool-builder';

/** Small enough that a batch trains in a fraction of a second. */
export const FAST_CONFIG: Partial<LlamaConfig> = {
  hiddenSize: 16,
  layers: 1,
  heads: 2,
  kvHeads: 1,
  intermediateSize: 24,
};
export const RUN_ID = 'run-test';

/** A run directory with run.json and a tiny random model beside it. */
export async function makeRun(changes: { algorithm?: object; run?: object; seed?: number } = {}): Promise<string> {
  const base = await mkdtemp(join(tmpdir(), 'plaudit-run-'));
  const root = join(base, 'run');
  await writeTinyCheckpoint(join(base, 'model'), { seed: changes.seed ?? 1, config: FAST_CONFIG });
  await mkdir(root);
  const run: Run = {
    schema: TRAINER_SCHEMA,
    run_id: RUN_ID,
    model_path: join(base, 'model'),
    algorithm: algorithmSchema.parse({ ...changes.algorithm }),
    seed: 1,
    created_at: '2026-01-01T00:00:00.000Z',
  };
  await writeFile(join(root, 'run.json'), JSON.stringify({ ...run, ...changes.run }));
  return root;
}

/** Rated answers with the log-probabilities of the seed model, so that they are fresh at version 0. */
export function makeSessions(
  batchId: number,
  options: { count?: number; version?: number; equal?: boolean } = {},
): SpoolSession[] {
  const random = mulberry32(1000 + batchId);
  const config = { ...TINY_CONFIG, ...FAST_CONFIG };
  const params = randomParams(config, 1);
  return Array.from({ length: options.count ?? 4 }, (_, i) => {
    const length = 6 + Math.floor(random() * 6);
    const ids = Array.from({ length }, () => Math.floor(random() * config.vocabSize));
    const promptLength = 3;
    const logprobs = referenceLogits(config, params, ids.slice(0, -1))
      .map((logits, t) => logits[ids[t + 1]!]! - logSumExp(logits))
      .slice(promptLength - 1);
    const row = { ids, promptLength, logprobs, versions: options.version ?? 0 };
    return { rows: [row], reward: options.equal ? 0.5 : i % 2 === 0 ? 1 : -0.5 };
  });
}

function logSumExp(logits: Float64Array): number {
  const top = Math.max(...logits);
  return top + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - top), 0));
}

/** A real trainer process and what it has said so far. */
export class TrainerProcess {
  readonly child: ChildProcessWithoutNullStreams;
  readonly messages: TrainerMessage[] = [];
  stderr = '';
  /** exit code, or null when a signal ended it */
  readonly exited: Promise<number | null>;
  #watchers: (() => void)[] = [];

  constructor(program: string, root: string, flags: readonly string[] = ['--exit-on-stdin-eof']) {
    this.child = spawn(process.execPath, [program, '--run-dir', root, '--lock-wait', '0', ...flags]);
    let rest = '';
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      // a line that is not a message of the contract fails the test here
      for (const line of lines) this.messages.push(trainerMessageSchema.parse(JSON.parse(line)));
      this.#notify();
    });
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    // writing to a process that has just been killed is part of these tests
    this.child.stdin.on('error', () => {});
    this.exited = new Promise((done) => {
      this.child.on('close', (code) => {
        done(code);
        this.#notify();
      });
    });
  }

  send(command: TrainerCommand): void {
    this.child.stdin.write(`${JSON.stringify(command)}\n`);
  }

  /** The first message that passes the test, already said or still to come; rejects when the process ends without it. */
  async message<K extends TrainerMessage['type']>(
    type: K,
    test: (message: Extract<TrainerMessage, { type: K }>) => boolean = () => true,
  ): Promise<Extract<TrainerMessage, { type: K }>> {
    let hasEnded = false;
    void this.exited.then(() => {
      hasEnded = true;
    });
    for (;;) {
      const found = this.messages.find(
        (message): message is Extract<TrainerMessage, { type: K }> =>
          message.type === type && test(message as Extract<TrainerMessage, { type: K }>),
      );
      if (found !== undefined) return found;
      if (hasEnded) throw new Error(`the trainer ended without ${type}\n${this.stderr}`);
      await new Promise<void>((wake) => this.#watchers.push(wake));
    }
  }

  /** Ends stdin as a dying studio does, and waits for the end. */
  async finish(): Promise<number | null> {
    this.child.stdin.end();
    return this.exited;
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exited;
  }

  #notify(): void {
    const watchers = this.#watchers;
    this.#watchers = [];
    for (const wake of watchers) wake();
  }
}
