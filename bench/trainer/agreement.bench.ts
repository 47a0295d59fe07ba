// How far apart are the engine's log-probabilities and the trainer's, for the same weights and tokens? Many chats at once, engines
// short of memory, weights that change in the middle of answers. Only what an engine sampled over its own cache is compared.
import { resolve } from 'node:path';
import { EngineClient } from '../../src/embedded/contract/engine-client';
import { startProcess } from '../../src/embedded/contract/engine-process';
import { chatTraffic } from '../../src/embedded/contract/stress/chat-traffic';
import { type Span, spansOf } from '../../src/embedded/contract/stress/cold-answers';
import { disturb } from '../../src/embedded/contract/stress/disturbance';
import { readModelFolder } from '../../src/embedded/engine/model-folder';
import { loadCheckpoint } from '../../src/embedded/model/checkpoint';
import { disposeParams, toDevice } from '../../src/embedded/model/llama-forward';
import { makeTokenLogprobs } from '../../src/embedded/model/log-probs';
import { startTensorRuntime } from '../../src/embedded/model/tensor-runtime';
import { packMicrobatches } from '../../src/embedded/trainer/microbatches';
import { bundleEngine } from '../../src/embedded/trainer/testing/bundle-program';
import { seededRandom } from '../../src/embedded/world/random';
import { machine } from './programs';

const options = new Map(process.argv.slice(2).map((argument) => argument.split('=', 2) as [string, string]));
const number = (name: string, fallback: number) => Number(options.get(name) ?? fallback);
const CHATS = number('chats', 16);
const TURNS = number('turns', 3);
const SEED = number('seed', 1);
const MODEL = resolve(options.get('model') ?? 'assets/demo-model');
/** weights of the same shape that take turns with the model's, comma-separated */
const OTHERS = (options.get('others') ?? '')
  .split(',')
  .filter(Boolean)
  .map((path) => resolve(path));
const CONTEXT_LENGTH = 256;

interface Token {
  readonly distance: number;
  readonly kinds: readonly string[];
}

await startTensorRuntime();
const program = options.has('engine') ? resolve(options.get('engine') ?? '') : await bundleEngine();
const { tokenizer } = await readModelFolder(MODEL);
const { config } = await loadCheckpoint(MODEL);
const logprobsOf = makeTokenLogprobs(config);
const folders = [MODEL, ...OTHERS];
const tokens: Token[] = [];
for (const path of folders) {
  tokens.push(...(await measure('one at a time', path, [], 1)));
  tokens.push(...(await measure('many at once', path, [], CHATS)));
  tokens.push(...(await measure('short of memory', path, ['--max-total-tokens', '512'], CHATS)));
}
if (OTHERS.length > 0) tokens.push(...(await measureUpdates()));

console.log(machine());
console.log(
  `${CHATS} chats of ${TURNS} turns, seed ${SEED}, ${folders.length} sets of weights; |engine − trainer| in nats`,
);
for (const kind of ['all', ...new Set(tokens.flatMap(({ kinds }) => kinds))]) {
  const sizes = tokens
    .filter(({ kinds }) => kind === 'all' || kinds.includes(kind))
    .map(({ distance }) => distance)
    .sort((a, b) => a - b);
  const at = (share: number) =>
    (sizes[Math.max(0, Math.ceil(share * sizes.length) - 1)] ?? Number.NaN).toExponential(1);
  console.log(
    `${kind.padEnd(28)} ${String(sizes.length).padStart(7)} tokens  median ${at(0.5)}  99 % ${at(0.99)}  99.9 % ${at(0.999)}  max ${at(1)}`,
  );
}

async function withEngine<T>(flags: readonly string[], path: string, work: (engine: EngineClient) => Promise<T>) {
  const serving = ['--model-path', path, '--port', '0', '--exit-on-stdin-eof', '--weight-version', 'v0'];
  const { child, url } = await startProcess({ program, arguments: [...serving, ...flags] });
  try {
    return await work(new EngineClient(url, null));
  } finally {
    child.kill('SIGTERM');
  }
}

async function measure(name: string, path: string, flags: readonly string[], chats: number): Promise<Token[]> {
  const answers = await withEngine(flags, path, (engine) =>
    chatTraffic({ engine, tokenizer, seed: SEED + chats, chats, turns: TURNS, contextLength: CONTEXT_LENGTH }),
  );
  return compare(spansOf(answers, new Map([['v0', path]]), new Set()), name);
}

async function measureUpdates(): Promise<Token[]> {
  const spans = await withEngine(['--max-total-tokens', '1024'], MODEL, async (engine) => {
    let isOver = false;
    const plan = { engine, random: seededRandom(SEED), folders, firstVersion: 'v0', pauseMs: 60, most: 8 * CHATS };
    const disturbing = disturb(plan, () => isOver);
    const traffic = { engine, tokenizer, seed: SEED + 2, chats: CHATS, turns: TURNS, contextLength: CONTEXT_LENGTH };
    const answers = await chatTraffic(traffic).finally(() => {
      isOver = true;
    });
    const { weights, overOldCache } = await disturbing;
    return spansOf(answers, weights, overOldCache);
  });
  return compare(spans, 'weights change meanwhile');
}

/** In the trainer's own microbatches. */
async function compare(spans: readonly Span[], name: string): Promise<Token[]> {
  const found: Token[] = [];
  for (const path of new Set(spans.map((span) => span.folder))) {
    const own = spans.filter((span) => span.folder === path && span.end > span.start);
    const device = toDevice(config, (await loadCheckpoint(path)).params);
    for (const part of packMicrobatches(own.map(rowOf), 0)) {
      const logprobs = await logprobsOf(device, part.inputs);
      part.inputs.weights.forEach((weight, at) => {
        if (weight === 0) return;
        const row = Math.floor(at / part.inputs.length);
        const span = own[part.spoolRows[row] ?? 0];
        if (span === undefined) return;
        const distance = Math.abs((logprobs[at] ?? Number.NaN) - (part.inputs.behave[at] ?? Number.NaN));
        const position = at - row * part.inputs.length;
        found.push({
          distance: Number.isNaN(distance) ? Number.POSITIVE_INFINITY : distance,
          kinds: [name, ...kindsOf(span, position)],
        });
      });
    }
    disposeParams(device);
  }
  return found;
}

function rowOf({ asked, start, end }: Span, row: number) {
  const prompt = asked.body.input_ids.length;
  const ids = Int32Array.from([...asked.body.input_ids, ...asked.answer.ids]);
  const inSpan = (t: number) => t >= prompt + start && t < prompt + end;
  return {
    row,
    session: row,
    ids,
    mask: Uint8Array.from(ids, (_, t) => (inSpan(t) ? 1 : 0)),
    behave: Float32Array.from(ids, (_, t) => (inSpan(t) ? (asked.answer.logprobs[t - prompt] ?? Number.NaN) : 0)),
    versions: new Int32Array(ids.length),
    // greedy answers report log-probs at temperature 1
    temperature: Number(asked.body.sampling_params.temperature) || 1,
    weight: 1,
    advantage: 0,
  };
}

function kindsOf({ asked, start }: Span, position: number): string[] {
  const { temperature, top_p, stop } = asked.body.sampling_params;
  return [
    `temperature ${temperature}`,
    ...(top_p === undefined ? [] : ['top_p 0.9 and top_k 40']),
    ...(stop === undefined ? [] : ['stop strings']),
    ...(position < 64 ? [] : [position < 128 ? 'position 64 to 127' : 'position from 128 on']),
    ...(Number(asked.answer.meta.num_retractions) > 0 ? ['retracted'] : []),
    ...(Number(asked.answer.meta.cached_tokens) > 0 ? ['known prompt'] : []),
    ...(asked.answer.finish.type === 'abort' ? ['aborted'] : []),
    ...(start > 0 ? ['after a change of weights'] : []),
  ];
}
