import { randomUUID } from 'node:crypto';
import type { EngineClient, GenerateBody, Json } from './engine-client';

export const PROMPT: readonly number[] = [40, 41, 42, 43, 44, 45];
/** As long as the context allows, which is longer than any case lets it run. */
export const LONG = null;

export function call(sampling: Json = {}, extra: Json = {}): GenerateBody {
  return {
    rid: newRid(),
    input_ids: PROMPT,
    sampling_params: { temperature: 1, max_new_tokens: 12, ignore_eos: true, ...sampling },
    ...extra,
  };
}

export function newRid(): string {
  return randomUUID().replaceAll('-', '');
}

/** Polls until the condition holds; the test's own timeout ends a vain wait. */
export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Starts a long answer and resolves once it has at least `tokens` tokens. */
export async function startLong(engine: EngineClient, tokens = 3, sampling: Json = {}) {
  const rid = newRid();
  let seen = 0;
  const answer = engine.stream(call({ max_new_tokens: LONG, ...sampling }, { rid }), (event) => {
    seen += (event.output_ids as number[]).length;
  });
  // a failure before the first token must not wait for tokens that never come
  let failure: unknown = null;
  answer.catch((cause) => {
    failure = cause ?? new Error('failed');
  });
  await until(() => {
    if (failure !== null) throw failure;
    return seen >= tokens;
  });
  return { rid, answer, seen: () => seen };
}

/** A whole answer on its way, as a promise that never rejects unhandled. */
export function startWhole(engine: EngineClient, sampling: Json = {}) {
  const body = call({ max_new_tokens: LONG, ...sampling });
  let isEnded = false;
  const answer = engine.generate(body).finally(() => {
    isEnded = true;
  });
  answer.catch(() => undefined);
  return { rid: String(body.rid), answer, isEnded: () => isEnded };
}
