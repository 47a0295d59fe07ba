import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TRAINER_EXIT, TRAINER_SCHEMA, type TrainerCommand } from '../../shared/wire/trainer';
import { startTensorRuntime } from '../model/tensor-runtime';
import { BatchRunner } from './batch-runner';
import { type MessageWriter, readCommands } from './messages';
import type { StepHooks } from './policy-optimizer';
import { readRun } from './run-file';
import { takeRunLock } from './run-lock';
import { StopControl, StopNow } from './stop-control';
import { TrainerFailure } from './trainer-failure';
import { loadSeedModel } from './weights-folder';

export interface TrainerOptions {
  readonly root: string;
  readonly exitOnStdinEof: boolean;
  readonly lockWaitMs: number;
}

const HEARTBEAT_MS = 5_000;
const LOOK_AGAIN_MS = 500;
/** Positions that are compiled before the first batch: what short chats need. */
const WARM_UP_LENGTHS = [48, 64, 96] as const;

/** The life of the process, from hello to the exit code. Throws {@link TrainerFailure} for every other end. */
export async function runTrainer(options: TrainerOptions, messages: MessageWriter): Promise<number> {
  const control = new StopControl();
  const heartbeat = setInterval(() => messages.send({ type: 'heartbeat' }), HEARTBEAT_MS);
  try {
    messages.send({
      type: 'hello',
      schema: TRAINER_SCHEMA,
      pid: process.pid,
      device: 'cpu (WebAssembly SIMD, one thread)',
      caps: ['policy-loss', 'full-weights', 'skip', 'set'],
    });
    const run = await readRun(options.root);
    const release = await takeRunLock(options.root, options.lockWaitMs);
    process.on('exit', release);
    messages.openEvents(options.root);
    listenForSignals(control);
    await startTensorRuntime().catch((cause) => {
      throw new TrainerFailure('The tensor library cannot start: this processor or system lacks WebAssembly SIMD', {
        exitCode: TRAINER_EXIT.environment,
        code: 'environment',
        cause,
      });
    });
    const seed = await loadSeedModel(run.model_path);
    const hooks = (batchId: number) => stepHooks(control, messages, batchId);
    const send = messages.send.bind(messages);
    const runner = await BatchRunner.open({ root: options.root, run, ...seed }, send, hooks(0));
    const commands = listenForCommands(runner, control, messages, options.exitOnStdinEof);
    await runner.announce();
    await trainUntilStopped(runner, control, { hooks, commands });
    return TRAINER_EXIT.stopped;
  } catch (thrown) {
    if (thrown instanceof StopNow) return TRAINER_EXIT.stopped;
    throw thrown;
  } finally {
    clearInterval(heartbeat);
  }
}

async function trainUntilStopped(
  runner: BatchRunner,
  control: StopControl,
  { hooks, commands }: { hooks: (batchId: number) => StepHooks; commands: CommandQueue },
): Promise<void> {
  const coldLengths: number[] = [...WARM_UP_LENGTHS];
  let idleSince = performance.now();
  for (;;) {
    await commands.drain();
    if (control.isStopping) return;
    const next = control.isPaused ? null : await runner.findNext();
    if (next !== null) {
      await runner.take(next, (performance.now() - idleSince) / 1000, hooks(runner.head.last_batch + 1));
      idleSince = performance.now();
      continue;
    }
    const length = coldLengths.shift();
    if (length === undefined) await control.wait(LOOK_AGAIN_MS);
    else {
      await runner.warmUp(length);
      await nextTurn();
    }
  }
}

/** Commands that touch the runner wait for the batch at hand; the others act at once. */
interface CommandQueue {
  drain(): Promise<void>;
}

function listenForCommands(
  runner: BatchRunner,
  control: StopControl,
  messages: MessageWriter,
  exitOnStdinEof: boolean,
): CommandQueue {
  const waiting: TrainerCommand[] = [];
  const warn = (code: string, message: string) => messages.send({ type: 'warn', code, message });
  readCommands({
    onCommand: (command) => {
      if (command.type === 'stop') control.request(command.mode);
      else if (command.type === 'pause' || command.type === 'resume') control.setPaused(command.type === 'pause');
      else {
        waiting.push(command);
        control.wake();
      }
    },
    onBadLine: (problem) => warn('bad_command', problem),
    onEnd: () => {
      if (exitOnStdinEof) control.request('after_batch');
    },
  });
  return {
    drain: async () => {
      for (let command = waiting.shift(); command !== undefined; command = waiting.shift()) {
        if (command.type === 'batch') await runner.answerRepeat(command.id);
        if (command.type === 'set') {
          const problem = await runner.set(command.values);
          if (problem !== null) warn('bad_setting', `The settings stay as they are: ${problem}`);
        }
      }
    },
  };
}

function stepHooks(control: StopControl, messages: MessageWriter, batchId: number): StepHooks {
  return {
    now: () => performance.now() / 1000,
    breathe: async (phase, fraction) => {
      if (batchId > 0) messages.send({ type: 'progress', batch: batchId, phase, frac: fraction });
      // training never waits for anything, so without this turn no signal and no heartbeat would get through
      await nextTurn();
      control.throwIfNow();
    },
  };
}

function listenForSignals(control: StopControl): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => control.requestBySignal());
}
