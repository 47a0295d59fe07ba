import { describe, expect, it } from 'vitest';
import { type RequestLimits, readGenerateRequest } from './generate-request';
import { RequestError } from './request-error';

const LIMITS: RequestLimits = {
  contextLength: 16,
  vocabSize: 100,
  eosIds: [2],
  serverSeed: 1,
  newRequestId: () => 'fresh',
  encode: (text) => [...text].map((character) => character.charCodeAt(0) % 100),
};
const read = (sampling: object, extra: object = {}) =>
  readGenerateRequest({ input_ids: [1, 2, 3], sampling_params: sampling, ...extra }, LIMITS);

function refusal(action: () => unknown): RequestError {
  try {
    action();
  } catch (cause) {
    if (cause instanceof RequestError) return cause;
    throw cause;
  }
  throw new Error('was not refused');
}

describe('readGenerateRequest', () => {
  it('fills defaults and clips the default budget to the context', () => {
    const { call } = read({});
    expect(call).toMatchObject({
      rid: 'fresh',
      maxNewTokens: 13,
      shape: { temperature: 1, topP: 1, topK: -1, minP: 0 },
    });
    expect([...call.stopTokenIds]).toEqual([2]);
  });

  it.each([
    ['an explicit null budget means as much as fits', { max_new_tokens: null }, { maxNewTokens: 13 }],
    ['a budget that fits exactly', { max_new_tokens: 13 }, { maxNewTokens: 13 }],
    ['a budget of nothing', { max_new_tokens: 0 }, { maxNewTokens: 0 }],
    ['penalties at their defaults', { frequency_penalty: 0, repetition_penalty: 1, presence_penalty: null }, {}],
    ['unsupported keys that are null', { regex: null, logit_bias: null }, {}],
  ])('takes %s', (_name, sampling, expected) => {
    expect(read(sampling).call).toMatchObject(expected);
  });

  it('drops every stop token when told to ignore the end', () => {
    expect(read({ ignore_eos: true, stop_token_ids: [5] }).call.stopTokenIds.size).toBe(0);
  });

  it('ignores unknown top-level keys', () => {
    expect(() => read({}, { extra_key: 'v7', priority: 3 })).not.toThrow();
  });

  it.each<[string, object, string]>([
    ['an unknown sampling key', { temprature: 1 }, 'temprature'],
    ['a budget past the context', { max_new_tokens: 14 }, '16'],
    ['a penalty that is not implemented', { frequency_penalty: 0.5 }, 'frequency_penalty'],
    ['a grammar', { regex: 'a+' }, 'regex'],
    ['several answers at once', { n: 2 }, 'n'],
    ['a fractional seed', { sampling_seed: 1.5 }, 'sampling_seed'],
    ['a flag that is text', { ignore_eos: 'yes' }, 'ignore_eos'],
    ['stop strings that are numbers', { stop: [1] }, 'stop'],
    ['more minimum than maximum', { max_new_tokens: 2, min_new_tokens: 3 }, 'min_new_tokens'],
  ])('refuses %s, naming the field', (_name, sampling, named) => {
    const error = refusal(() => read(sampling));
    expect(error.status).toBe(400);
    expect(error.message).toContain(named);
  });

  it.each<[string, unknown]>([
    ['a list of prompts', { input_ids: [[1], [2]] }],
    ['both text and ids', { input_ids: [1], text: 'a' }],
    ['an id outside the vocabulary', { input_ids: [100] }],
    ['a negative id', { input_ids: [-1] }],
    ['a fractional id', { input_ids: [1.5] }],
    ['an adapter', { input_ids: [1], lora_path: 'a' }],
    ['a numeric rid', { input_ids: [1], rid: 5 }],
    ['sampling_params that is a list', { input_ids: [1], sampling_params: [] }],
  ])('refuses %s', (_name, body) => {
    expect(refusal(() => readGenerateRequest(body, LIMITS)).status).toBe(400);
  });

  it('derives the same seed from the same id and server seed, and another from another', () => {
    const seedOf = (rid: string) => read({}, { rid }).call.seed;
    expect(seedOf('a')).toBe(seedOf('a'));
    expect(seedOf('a')).not.toBe(seedOf('b'));
  });
});
