import type { EngineTokenizer } from '../../engine/model-folder';
import { integer, pick, type Random, seededRandom } from '../../world/random';
import { newRid } from '../contract-helpers';
import type { Answer, EngineClient, GenerateBody, Json } from '../engine-client';
import { ChatPrompts } from './chat-prompts';

/** An answer and what was asked, so that it can be asked again of another engine. */
export interface Asked {
  readonly body: GenerateBody & { readonly sampling_params: Json };
  readonly answer: Answer;
}

export interface TrafficOptions {
  readonly engine: EngineClient;
  readonly tokenizer: EngineTokenizer;
  readonly seed: number;
  /** chats at the same time */
  readonly chats: number;
  readonly turns: number;
  readonly contextLength: number;
}

/** Ways a call may end before its answer does. */
type Cut = 'none' | 'abort' | 'hang up';

/** Many chats at once, each turn following on what the engine answered; resolves with all answers. */
export async function chatTraffic(options: TrafficOptions): Promise<Asked[]> {
  const all = await Promise.all(Array.from({ length: options.chats }, (_, i) => chat(options, i)));
  return all.flat();
}

async function chat(
  { engine, tokenizer, seed, turns, contextLength }: TrafficOptions,
  index: number,
): Promise<Asked[]> {
  // of its own, so that what a chat does next does not depend on the others' speed
  const random = seededRandom(seed, index);
  const prompts = new ChatPrompts(tokenizer, contextLength, random);
  const asked: Asked[] = [];
  let ids = random() < 0.08 ? prompts.nearCapacity() : prompts.opening();
  for (let turn = 0; turn < turns; turn++) {
    const copies = random() < 0.3 ? integer(random, 2, 4) : 1;
    const plans = Array.from({ length: copies }, () => plan(random, ids, contextLength));
    const answers = (await Promise.all(plans.map(({ body, cut, after }) => ask(engine, body, cut, after)))).flat();
    asked.push(...answers);
    const chosen = answers.length > 0 ? pick(random, answers) : null;
    ids = nextPrompt(random, prompts, ids, chosen?.answer.ids ?? []);
    if (ids.length >= contextLength) ids = prompts.opening();
  }
  return asked;
}

/** The same again, the answer so far as a prefix, or the next question. */
function nextPrompt(random: Random, prompts: ChatPrompts, ids: number[], answer: readonly number[]): number[] {
  const kind = random();
  if (kind < 0.15) return ids;
  if (kind < 0.3) return [...ids, ...answer.slice(0, integer(random, 1, 6))];
  return kind < 0.35 ? prompts.nearCapacity() : prompts.next(ids, answer);
}

function plan(random: Random, input_ids: readonly number[], contextLength: number) {
  const room = contextLength - input_ids.length;
  const isLong = random() < 0.2;
  const cut: Cut = random() < 0.15 ? pick(random, ['abort', 'hang up'] as const) : 'none';
  const sampling_params: Json = {
    temperature: pick(random, [0, 1, 1, 0.7]),
    sampling_seed: integer(random, 0, 2 ** 31),
    max_new_tokens: Math.min(room, isLong ? integer(random, 40, 140) : integer(random, 8, 40)),
    ignore_eos: isLong,
    ...(random() < 0.25 ? { stop: pick(random, [['.'], ['ee', '!\n'], ['is', ' you know'], ['<|im_end|>']]) } : {}),
    ...(random() < 0.2 ? { top_p: 0.9, top_k: 40 } : {}),
  };
  const extra = random() < 0.1 ? { logprob_start_len: integer(random, 0, input_ids.length) } : {};
  return { body: { rid: newRid(), input_ids, sampling_params, ...extra }, cut, after: integer(random, 0, 10) };
}

/** No answer when the reader hung up. */
async function ask(engine: EngineClient, body: Asked['body'], cut: Cut, after: number): Promise<Asked[]> {
  if (cut === 'none') {
    const answer = after % 2 === 0 ? await engine.generate(body) : await engine.stream(body);
    return [{ body, answer }];
  }
  let seen = 0;
  let aborting: Promise<unknown> = Promise.resolve();
  const end = () => {
    // leaving the loop over the stream closes its connection
    if (cut === 'hang up') throw new HungUp();
    aborting = engine.post('/abort_request', { rid: body.rid });
  };
  try {
    const answer = await engine.stream(body, (event) => {
      const before = seen;
      seen += (event.output_ids as number[]).length;
      if (before <= after && seen > after) end();
    });
    await aborting;
    return [{ body, answer }];
  } catch (cause) {
    if (cause instanceof HungUp) return [];
    throw cause;
  }
}

class HungUp extends Error {}
