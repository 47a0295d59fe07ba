import { expect, it } from 'vitest';
import { call, PROMPT, startLong } from './contract-helpers';
import type { ContractContext } from './contract-subject';

/** Bad requests: a 400 with a sentence, and the engine goes on. */
export function refusalContract({ engine }: ContractContext): void {
  const contextLength = async () => Number((await engine().json('/server_info')).context_length);
  const sentence = (body: unknown): string => {
    const { error, message } = body as { error?: { message?: string }; message?: string };
    return error?.message ?? message ?? '';
  };

  it.each<[string, unknown]>([
    ['an empty prompt', { ...call(), input_ids: [] }],
    ['no prompt', { sampling_params: {} }],
    ['a prompt of text fragments', { ...call(), input_ids: ['a'] }],
    ['top_p above 1', call({ top_p: 1.5 })],
    ['top_p of 0', call({ top_p: 0 })],
    ['a negative temperature', call({ temperature: -0.1 })],
    ['top_k of 0', call({ top_k: 0 })],
    ['min_p above 1', call({ min_p: 2 })],
    ['a negative budget', call({ max_new_tokens: -1 })],
    ['a temperature that is text', call({ temperature: 'hot' })],
    ['an id outside the vocabulary', { ...call({}, { token_ids_logprob: [10_000_000] }) }],
    ['logprob_start_len past the prompt', call({}, { logprob_start_len: PROMPT.length + 1 })],
    ['a sampling key that nobody knows', call({ temprature: 1 })],
    ['a seed that is text', call({ sampling_seed: 'seven' })],
    ['broken JSON', '{"input_ids": [1,'],
    ['a body that is a list', [1, 2, 3]],
  ])('refuses %s', async (_name, body) => {
    const response = await engine().post('/generate', body);
    expect(response.status).toBe(400);
    expect(sentence(await response.json())).not.toBe('');
    expect((await engine().generate(call({ max_new_tokens: 1 }))).ids).toHaveLength(1);
  });

  it('refuses a prompt as long as the context, and a budget past it', async () => {
    const length = await contextLength();
    const prompt = (size: number) => Array.from({ length: size }, () => 40);
    for (const body of [
      { ...call({ max_new_tokens: 1 }), input_ids: prompt(length) },
      { ...call({ max_new_tokens: 2 }), input_ids: prompt(length - 1) },
    ]) {
      const response = await engine().post('/generate', body);
      expect(response.status).toBe(400);
      expect(sentence(await response.json())).toContain(String(length));
    }
    const last = await engine().generate({ ...call({ max_new_tokens: 1 }), input_ids: prompt(length - 1) });
    expect(last.ids).toHaveLength(1);
    const asMuch = await engine().generate({ ...call({ max_new_tokens: null }), input_ids: prompt(length - 3) });
    expect(asMuch.ids).toHaveLength(3);
  });

  it('refuses an id that is in use, and takes it again afterwards', async () => {
    const long = await startLong(engine());
    const response = await engine().post('/generate', { ...call(), rid: long.rid });
    expect(response.status).toBe(400);
    expect(sentence(await response.json())).toContain(long.rid);
    await engine().post('/abort_request', { rid: long.rid });
    await long.answer;
    expect((await engine().generate({ ...call({ max_new_tokens: 1 }), rid: long.rid })).ids).toHaveLength(1);
  });
}
