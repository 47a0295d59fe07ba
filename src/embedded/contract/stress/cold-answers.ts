import type { TokenLogprobs, TokenRows } from '../../model/log-probs';
import type { DeviceParams } from '../../model/tensor-runtime';
import { newRid } from '../contract-helpers';
import type { Answer, EngineClient, Json } from '../engine-client';
import type { Asked } from './chat-traffic';

/** The tokens of one answer that one set of weights sampled, over a cache that these weights computed. */
export interface Span {
  readonly asked: Asked;
  readonly folder: string;
  readonly start: number;
  readonly end: number;
}

/** Cuts answers at weight updates; what was sampled over a cache of older weights is left out: nothing else computes that. */
export function spansOf(
  answers: readonly Asked[],
  weights: ReadonlyMap<string, string>,
  overOldCache: ReadonlySet<string>,
): Span[] {
  return answers.flatMap((asked) => {
    const firstBad = asked.answer.versions.findIndex(({ version }, i) => i > 0 && overOldCache.has(version));
    const good = firstBad < 0 ? asked.answer.versions : asked.answer.versions.slice(0, firstBad);
    return good.map(({ version, start, end }) => {
      const folder = weights.get(version);
      if (folder === undefined) throw new Error(`an answer names the version ${version}, which was never served`);
      return { asked, folder, start, end };
    });
  });
}

/**
 * Asks an engine at rest, with nothing cached, for the same tokens; returns how its answer differs, null when it does not.
 * Equal runtimes give equal bits; between runtimes log-probs may differ by `tolerance`.
 */
export async function differenceFromCold(
  engine: EngineClient,
  { asked, start, end }: Span,
  tolerance = 0,
): Promise<string | null> {
  const { body, answer } = asked;
  await engine.get('/flush_cache');
  const isWhole = start === 0 && end === answer.ids.length && answer.finish.type !== 'abort';
  const cold = await engine.generate({
    ...body,
    rid: newRid(),
    input_ids: [...body.input_ids, ...answer.ids.slice(0, start)],
    // a part of an answer ends where it ends, whatever could have ended it
    sampling_params: isWhole ? body.sampling_params : partOf(body.sampling_params, end - start),
  });
  const expected = { ids: cold.ids, logprobs: cold.logprobs };
  const actual = { ids: answer.ids.slice(start, end), logprobs: answer.logprobs.slice(start, end) };
  if (!areAlike(actual, expected, tolerance)) return `${listing(actual)} is not ${listing(expected)}`;
  if (!isWhole) return null;
  const shownOf = ({ text, finish, meta }: Answer) => [text, finish, tolerance > 0 || meta.input_token_logprobs];
  const [shown, coldShown] = [shownOf(answer), shownOf(cold)];
  return JSON.stringify(shown) === JSON.stringify(coldShown)
    ? null
    : `${JSON.stringify(shown)} is not ${JSON.stringify(coldShown)}`;
}

interface Drawn {
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
}

function areAlike(actual: Drawn, expected: Drawn, tolerance: number): boolean {
  return (
    JSON.stringify(actual.ids) === JSON.stringify(expected.ids) &&
    expected.logprobs.every((logprob, i) => Math.abs(logprob - (actual.logprobs[i] ?? Number.NaN)) <= tolerance)
  );
}

function partOf({ stop: _stop, ...sampling }: Json, count: number): Json {
  return { ...sampling, max_new_tokens: count, ignore_eos: true };
}

function listing({ ids, logprobs }: Drawn): string {
  return ids.map((id, i) => `${id}:${logprobs[i]?.toFixed(6)}`).join(' ');
}

/** Shapes of the trainer's forward: it is compiled for each. */
const PASS_ROWS = 4;
const PASS_LENGTHS = [64, 128, 256];

/** Largest distance between log-probs of spans and what the trainer's forward gives them; all spans of the same weights. */
export async function trainerDistance(
  logprobsOf: TokenLogprobs,
  params: DeviceParams,
  spans: readonly Span[],
): Promise<{ readonly tokens: number; readonly largest: number }> {
  let [tokens, largest] = [0, 0];
  for (const [i, length] of PASS_LENGTHS.entries()) {
    const own = spans.filter((span) => fits(span, length) && !fits(span, PASS_LENGTHS[i - 1] ?? 0));
    for (let first = 0; first < own.length; first += PASS_ROWS) {
      const rows = own.slice(first, first + PASS_ROWS);
      const logprobs = await logprobsOf(params, tokenRows(rows, length));
      rows.forEach(({ asked, start, end }, row) => {
        const offset = row * length + asked.body.input_ids.length - 1;
        for (let i = start; i < end; i++) {
          tokens++;
          // NaN would be less than nothing
          const distance = Math.abs((logprobs[offset + i] ?? Number.NaN) - (asked.answer.logprobs[i] ?? Number.NaN));
          largest = Number.isNaN(distance) ? Number.POSITIVE_INFINITY : Math.max(largest, distance);
        }
      });
    }
  }
  return { tokens, largest };
}

function fits({ asked }: Span, length: number): boolean {
  return asked.body.input_ids.length + asked.answer.ids.length - 1 <= length;
}

function tokenRows(rows: readonly Span[], length: number): TokenRows {
  const ids = new Int32Array(PASS_ROWS * length);
  const targets = new Int32Array(PASS_ROWS * length);
  const temperatures = new Float32Array(PASS_ROWS).fill(1);
  rows.forEach(({ asked }, row) => {
    const all = [...asked.body.input_ids, ...asked.answer.ids];
    ids.set(all.slice(0, -1), row * length);
    targets.set(all.slice(1), row * length);
    // greedy answers report log-probs at temperature 1
    temperatures[row] = Number(asked.body.sampling_params.temperature) || 1;
  });
  return { rows: PASS_ROWS, length, ids, targets, temperatures };
}
