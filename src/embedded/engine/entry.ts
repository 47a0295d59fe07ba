import { randomInt } from 'node:crypto';
import type { Server } from 'node:http';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CheckpointError, loadCheckpoint } from '../model/checkpoint';
import { Decoder } from '../model/decoder';
import { cacheBytesPerToken } from '../model/kv-cache';
import { startTensorRuntime } from '../model/tensor-runtime';
import { type EngineArguments, readArguments } from './arguments';
import { batchShapes } from './batch-shapes';
import { dummyParams } from './dummy-weights';
import { Engine } from './engine';
import { createHttpServer } from './http/server';
import { readModelFolder } from './model-folder';
import { planWarmUp, warmUpLate } from './warm-up';

const EXIT_FAILED = 1;
const EXIT_BAD_FLAGS = 2;
/** A stop that takes longer than this ends the process anyway. */
const STOP_DEADLINE_MS = 4_000;

function say(text: string): void {
  process.stderr.write(`embedded-engine: ${text}\n`);
}

/** The line the supervisor looks for, then the end. Ids are those of the failure table. */
function fail(id: string, cause: unknown, code = EXIT_FAILED): never {
  say(`fatal ${id}: ${cause instanceof Error ? cause.message : String(cause)}`);
  if (cause instanceof Error && !(cause instanceof CheckpointError) && cause.stack !== undefined)
    process.stderr.write(`${cause.stack}\n`);
  process.exit(code);
}

async function main(): Promise<void> {
  const parsed = readArguments(process.argv.slice(2));
  if (!parsed.ok) fail('bad_flag', parsed.message, EXIT_BAD_FLAGS);
  const options = parsed.value;
  for (const warning of parsed.warnings) say(`warning: ${warning}`);

  let engine: Engine | null = null;
  let port = options.port;
  const identity = { servedModelName: options.servedModelName, startedAtMs: Date.now(), port: () => port };
  const logError = (line: string) => process.stderr.write(`${line}\n`);
  const server = createHttpServer({ apiKey: options.apiKey, identity, engine: () => engine, logError });
  // the port answers 503 while the model loads
  port = await listen(server, options);

  const stop = once(() => void shutDown(server, () => engine));
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (options.exitOnStdinEof) watchStdin(stop);

  engine = await load(options, async (loaded) => {
    engine = loaded;
    say(`ready http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`);
  });
}

async function load(options: EngineArguments, onReady: (engine: Engine) => Promise<void>): Promise<Engine> {
  const step = (done: number, what: string) => say(`loading ${done}/4 ${what}`);
  step(0, 'tensor runtime');
  await startTensorRuntime().catch((cause) => fail('init_died', cause));
  step(1, 'model folder');
  const path = resolve(options.modelPath);
  const folder = await readModelFolder(path).catch((cause) => fail(idOf(cause), cause));
  const contextLength = options.contextLength ?? folder.config.maxPositions;
  if (contextLength > folder.config.maxPositions) {
    fail('ctx_len', `context_length (${contextLength}) is greater than the model's ${folder.config.maxPositions}`);
  }
  step(2, 'weights');
  const params =
    options.loadFormat === 'dummy'
      ? dummyParams(folder.config, options.randomSeed ?? 0)
      : (await loadCheckpoint(path).catch((cause) => fail(idOf(cause), cause))).params;
  const decoder = new Decoder(folder.config, params);
  if (!(await decoder.isUsable(params))) fail('ckpt_broken', `${path}: its logits are not finite`);
  step(3, 'compiling');
  const shapes = batchShapes({
    maxRunning: options.maxRunningRequests,
    contextLength,
    bytesPerToken: cacheBytesPerToken(folder.config),
    maxTotalTokens: options.maxTotalTokens,
  });
  const warmUp = planWarmUp(decoder, shapes);
  for (const compile of warmUp.early) await compile();
  step(4, 'done');
  const engine = new Engine({
    folder,
    decoder,
    shapes,
    contextLength,
    maxQueued: options.maxQueuedRequests,
    serverSeed: options.randomSeed ?? randomInt(2 ** 32),
    weightVersion: options.weightVersion,
    nowMs: () => Date.now(),
    onFatal: (cause) => fail('sched_exc', cause),
  });
  await onReady(engine);
  const { scheduler } = engine;
  warmUpLate(warmUp, {
    isIdle: () => scheduler.running.length === 0 && scheduler.waiting.length === 0,
    atRest: (task) => scheduler.atRest(task),
    wait: (ms) => sleep(ms, undefined, { ref: false }),
  }).catch((cause) => fail('sched_exc', cause));
  return engine;
}

function listen(server: Server, options: EngineArguments): Promise<number> {
  return new Promise((done) => {
    server.on('error', (cause: NodeJS.ErrnoException) =>
      fail('port_http', `${options.host}:${options.port}: ${cause.message}`),
    );
    server.listen(options.port, options.host, () => {
      const address = server.address();
      done(typeof address === 'object' && address !== null ? address.port : options.port);
    });
  });
}

/** Answers everyone with what they have, then ends; never hangs on a reader that does not read. */
async function shutDown(server: Server, engine: () => Engine | null): Promise<void> {
  say('stopping');
  setTimeout(() => process.exit(0), STOP_DEADLINE_MS).unref();
  await engine()?.stop();
  server.close(() => process.exit(0));
  server.closeIdleConnections();
}

function watchStdin(stop: () => void): void {
  process.stdin.on('end', stop);
  process.stdin.on('error', stop);
  process.stdin.on('close', stop);
  process.stdin.resume();
}

function idOf(cause: unknown): string {
  if (!(cause instanceof CheckpointError)) return 'init_died';
  return { missing: 'model_missing', broken: 'ckpt_broken', unsupported: 'arch' }[cause.kind];
}

function once(action: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    action();
  };
}

process.on('uncaughtException', (cause) => fail('sched_exc', cause));
process.on('unhandledRejection', (cause) => fail('sched_exc', cause));
void main();
