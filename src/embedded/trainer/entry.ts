import { resolve } from 'node:path';
import { TRAINER_EXIT } from '../../shared/wire/trainer';
import { MessageWriter } from './messages';
import { runTrainer, type TrainerOptions } from './trainer';
import { asFailure, TrainerFailure } from './trainer-failure';

/** After a crash of the studio the trainer of its last life may be finishing a batch. */
const DEFAULT_LOCK_WAIT_MS = 30_000;

async function main(): Promise<void> {
  // stdout belongs to the protocol; whatever a library prints goes where logs go
  console.log = console.error;
  console.info = console.error;
  const messages = new MessageWriter();
  const end = async (code: number) => {
    messages.send({ type: 'bye', code });
    await messages.close();
    process.exit(code);
  };
  const fail = async (thrown: unknown) => {
    const { message, code, retryable, exitCode, stack, cause } = asFailure(thrown);
    messages.send({ type: 'error', code, message, retryable });
    process.stderr.write(`trainer: ${stack ?? message}\n`);
    if (cause instanceof Error) process.stderr.write(`trainer: caused by ${cause.stack ?? cause.message}\n`);
    await end(exitCode);
  };
  process.on('uncaughtException', (thrown) => void fail(thrown));
  process.on('unhandledRejection', (thrown) => void fail(thrown));
  try {
    await end(await runTrainer(readOptions(process.argv.slice(2)), messages));
  } catch (thrown) {
    await fail(thrown);
  }
}

function readOptions(argv: readonly string[]): TrainerOptions {
  const usage = 'usage: trainer --run-dir DIR [--exit-on-stdin-eof] [--lock-wait SECONDS]';
  const refuse = (problem: string): never => {
    throw new TrainerFailure(`${problem}; ${usage}`, { exitCode: TRAINER_EXIT.badConfig, code: 'bad_config' });
  };
  let root: string | null = null;
  let exitOnStdinEof = false;
  let lockWaitMs = DEFAULT_LOCK_WAIT_MS;
  for (let i = 0; i < argv.length; i++) {
    const flag = argv[i];
    if (flag === '--exit-on-stdin-eof') exitOnStdinEof = true;
    else if (flag === '--run-dir') root = argv[++i] ?? refuse('--run-dir needs a folder');
    else if (flag === '--lock-wait') {
      const seconds = Number(argv[++i]);
      lockWaitMs = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : refuse('--lock-wait needs seconds');
    } else refuse(`${flag} is not known`);
  }
  if (root === null) return refuse('--run-dir is missing');
  return { root: resolve(root), exitOnStdinEof, lockWaitMs };
}

void main();
