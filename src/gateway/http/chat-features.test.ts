import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { TINY_SPECIALS } from '../../embedded/model/testing/tiny-tokenizer';
import {
  type ChatCompletionChunk,
  chatCompletionChunkSchema,
  chatCompletionSchema,
} from '../../shared/wire/openai-chat';
import { interactionViewSchema } from '../../shared/wire/rl';
import { GatewayPool } from '../testing/gateway-pool';
import { ADMIN_KEY, type TestGateway } from '../testing/test-gateway';
import { callText, saying, toolModel } from '../testing/tool-model';

const gateways = new GatewayPool();
const { create } = gateways;
afterEach(() => gateways.close());

const user = (content: string) => ({ role: 'user', content });
const tools = ['add', 'multiply'].map((name) => ({
  type: 'function',
  function: {
    name,
    description: `Does ${name}.`,
    parameters: { type: 'object', properties: { a: { type: 'number' } } },
  },
}));

async function ask(test: TestGateway, fields: Record<string, unknown>, key?: string) {
  const reply = await test.call('POST', '/v1/chat/completions', {
    key: key ?? (await test.startSession()).key,
    body: { model: 'm', messages: [user('hi')], ...fields },
  });
  const body: unknown = await reply.json();
  return { status: reply.status, body: body as Record<string, unknown> & { error?: { code: string; param: string } } };
}

async function whole(test: TestGateway, fields: Record<string, unknown>, key?: string) {
  const { body } = await ask(test, fields, key);
  const parsed = chatCompletionSchema.parse(body);
  const [choice] = parsed.choices;
  if (choice === undefined) throw new Error('no choice');
  return { ...parsed, choice };
}

async function chunksOf(test: TestGateway, fields: Record<string, unknown>): Promise<ChatCompletionChunk[]> {
  const { key } = await test.startSession();
  const body = { model: 'm', messages: [user('hi')], stream: true, ...fields };
  const text = await (await test.call('POST', '/v1/chat/completions', { key, body })).text();
  const frames = text.split('\n\n').filter((frame) => frame !== '');
  expect(frames.pop()).toBe('data: [DONE]');
  return frames.map((frame) => chatCompletionChunkSchema.parse(JSON.parse(frame.slice(6))));
}

const promptText = (test: TestGateway, index = 0): string => {
  const ids = test.tasks[index]?.promptTokenIds ?? [];
  return Buffer.from(ids.filter((id) => id < 256)).toString('utf8');
};

async function view(test: TestGateway, id: string) {
  const reply = await test.call('GET', `/rl/interactions/${id}`, { key: ADMIN_KEY });
  return interactionViewSchema.parse(await reply.json());
}

describe('a message', () => {
  it.each([
    ['developer', [{ role: 'developer', content: 'be kind' }, user('hi')], /^system\nbe kind/],
    [
      'a refusal sent back',
      [user('hi'), { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] }],
      /assistant\nno/,
    ],
    [
      'text in parts',
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
      ],
      /user\nab/,
    ],
    ['an assistant without content', [user('hi'), { role: 'assistant', content: null }, user('on')], /on/],
    ['a name and unknown fields', [{ ...user('hi'), name: 'ada', x: 1 }], /hi/],
  ])('is read: %s', async (_reason, messages, expected) => {
    const test = create({ model: { contextLength: 2048 } });
    expect((await ask(test, { messages })).status).toBe(200);
    expect(promptText(test)).toMatch(expected);
  });

  it.each([
    ['an unknown role', [{ role: 'robot', content: 'x' }], 'bad_request', 'messages[0].role', /'robot'/],
    ['no content', [{ role: 'user' }], 'bad_request', 'messages[0].content', /missing/],
    [
      'a text part without text',
      [{ role: 'user', content: [{ type: 'text' }] }],
      'bad_request',
      'messages[0].content[0].text',
      /text part without text/,
    ],
    [
      'an image',
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] }],
      'bad_request',
      'messages[0].content[0]',
      /image_url/,
    ],
    [
      'a tool message without call',
      [{ role: 'tool', content: '3' }],
      'bad_request',
      'messages[0].tool_call_id',
      /names the call/,
    ],
    [
      'a call without id',
      [{ role: 'assistant', tool_calls: [{ function: { name: 'f' } }] }],
      'bad_request',
      'messages[0].tool_calls[0].id',
      /missing/,
    ],
    [
      'a call without function',
      [{ role: 'assistant', tool_calls: [{ id: 'c' }] }],
      'bad_request',
      'messages[0].tool_calls[0].function',
      /name/,
    ],
  ])('is refused with its place: %s', async (_reason, messages, code, param, expected) => {
    const test = create();
    const { status, body } = await ask(test, { messages });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code, param, message: expect.stringMatching(expected) });
    expect(test.tasks).toEqual([]);
  });
});

describe('a parameter', () => {
  it.each([
    [
      'what OpenAI has and we need not know',
      { store: true, user: 'u', service_tier: 'auto', reasoning_effort: 'low', prediction: {}, whatever: [1] },
      {},
    ],
    ['both names of the budget, agreeing', { max_tokens: 4, max_completion_tokens: 4 }, { maxNewTokens: 4 }],
    ['the newer name of the budget', { max_completion_tokens: 3 }, { maxNewTokens: 3 }],
    ['top-k', { top_k: 5 }, { topK: 5 }],
    ['top-k switched off', { top_k: -1 }, { topK: null }],
    ['an empty logit bias', { logit_bias: {} }, {}],
    ['text as the format', { response_format: { type: 'text' } }, { jsonSchema: null }],
    ['log-probs', { logprobs: true }, { topLogprobs: 0 }],
    ['no alternatives without log-probs', { logprobs: false, top_logprobs: 0 }, { topLogprobs: null }],
  ])('is taken: %s', async (_reason, fields, task) => {
    const test = create();
    expect((await ask(test, fields)).status).toBe(200);
    expect(test.tasks[0]).toMatchObject(task);
  });

  it.each([
    ['a logit bias', { logit_bias: { 50: 1 } }, 'logit_bias'],
    ['JSON from an engine without grammars', { response_format: { type: 'json_object' } }, 'response_format'],
    [
      'a schema from an engine without grammars',
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: {} } } },
      'response_format',
    ],
    ['alternatives from an engine without', { logprobs: true, top_logprobs: 2 }, 'top_logprobs'],
    ['alternatives without log-probs', { top_logprobs: 2 }, 'top_logprobs'],
    ['functions', { functions: [{ name: 'f' }] }, 'functions'],
    ['audio', { modalities: ['text', 'audio'] }, 'modalities'],
    ['a forced tool of a model without tools', { tools, tool_choice: 'required' }, 'tool_choice'],
    ['a forced tool without tools', { tool_choice: 'required' }, 'tool_choice'],
    ['a tool that is not there', { tools, tool_choice: { type: 'function', function: { name: 'x' } } }, 'tool_choice'],
  ])('is refused by name: %s', async (_reason, fields, param) => {
    const test = create();
    const { status, body } = await ask(test, fields);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'unsupported_parameter', param });
    expect(test.tasks).toEqual([]);
  });

  it.each([
    ['json_object', { type: 'json_object' }, '{"type":"object"}'],
    ['json_schema', { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'array' } } }, '{"type":"array"}'],
  ])('binds the answer where the engine can: %s', async (_reason, responseFormat, jsonSchema) => {
    const test = create({ supports: { jsonSchema: true, topLogprobs: true } });
    const { status } = await ask(test, { response_format: responseFormat });
    expect(status).toBe(200);
    expect(test.tasks[0]?.jsonSchema).toBe(jsonSchema);
  });

  it('of the chat template reaches it', async () => {
    const chatTemplate = '{% for m in messages %}{{ m.content }}{% endfor %}[{{ enable_thinking }}]';
    const test = create({ model: { chatTemplate } });
    await ask(test, { chat_template_kwargs: { enable_thinking: false, messages: 'mine' } });
    expect(promptText(test).toLowerCase()).toBe('hi[false]');
  });
});

describe('log-probs', () => {
  const delta = (text: string) => ({
    tokenIds: [...Buffer.from(text)],
    logprobs: [...Buffer.from(text)].map((_, index) => -index - 1),
    versions: [...Buffer.from(text)].map(() => 0),
    topLogprobs: [...Buffer.from(text)].map((id) => [
      { tokenId: id, logprob: -1 },
      { tokenId: 98, logprob: -2 },
      { tokenId: 99, logprob: -3 },
    ]),
  });
  const supports = { jsonSchema: false, topLogprobs: true };
  const script = () => [{ kind: 'tokens', delta: delta('aé') } as const];

  it('have one entry per token of the text, with as many alternatives as asked for', async () => {
    const test = create({ script, supports });
    const { choice } = await whole(test, { logprobs: true, top_logprobs: 2 });
    expect(test.tasks[0]?.topLogprobs).toBe(2);
    expect(choice.message.content).toBe('aé');
    const content = choice.logprobs?.content ?? [];
    expect(content.map(({ token, logprob }) => [token, logprob])).toEqual([
      ['a', -1],
      ['', -2],
      ['é', -3],
    ]);
    expect(Buffer.from(content.flatMap(({ bytes }) => bytes ?? [])).toString()).toBe('aé');
    expect(content[0]?.top_logprobs).toEqual([
      { token: 'a', logprob: -1, bytes: [97] },
      { token: 'b', logprob: -2, bytes: [98] },
    ]);
  });

  it('are the same streamed', async () => {
    const test = create({ script, supports });
    const chunks = await chunksOf(test, { logprobs: true });
    const content = chunks.flatMap((chunk) => chunk.choices[0]?.logprobs?.content ?? []);
    expect(content.map(({ token, logprob }) => [token, logprob])).toEqual([
      ['a', -1],
      ['', -2],
      ['é', -3],
    ]);
    expect(content.every(({ top_logprobs: top }) => top.length === 0)).toBe(true);
  });

  it('are absent unless asked for', async () => {
    const test = create({ script, supports });
    expect((await whole(test, {})).choice.logprobs).toBeNull();
    expect((await chunksOf(test, {})).some((chunk) => chunk.choices[0]?.logprobs !== undefined)).toBe(false);
  });
});

describe('usage of a stream', () => {
  it.each([
    ['unasked', {}, 1],
    ['switched off', { stream_options: { include_usage: false } }, 1],
    ['asked for', { stream_options: { include_usage: true } }, 2],
  ])('stands on the frame that finishes, and once more alone when asked for: %s', async (_reason, fields, count) => {
    const chunks = await chunksOf(create(), fields);
    const withUsage = chunks.filter((chunk) => chunk.usage !== undefined);
    expect(withUsage).toHaveLength(count);
    expect(withUsage[0]?.choices[0]?.finish_reason).toBe('stop');
    for (const chunk of withUsage) expect(chunk.usage).toEqual(withUsage[0]?.usage);
    if (count === 2) expect(chunks.at(-1)?.choices).toEqual([]);
  });
});

describe('tools', () => {
  const call = callText('add', { a: 1 });
  const thinking = `<think>\nhm\n</think>\n\nSo.\n${call}`;

  it('are called, answered, and the answer to their result continues the conversation', async () => {
    const test = create({ model: toolModel, script: saying(thinking, 'It is 1.') });
    const { key } = await test.startSession();
    const first = await whole(test, { tools }, key);
    expect(first.choice).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'So.',
        reasoning_content: 'hm',
        tool_calls: [{ type: 'function', function: { name: 'add', arguments: '{"a": 1}' } }],
      },
    });
    expect(first.usage.completion_tokens_details?.reasoning_tokens).toBeGreaterThan(0);
    const toolCall = first.choice.message.tool_calls?.[0];
    const second = await whole(
      test,
      {
        tools,
        messages: [
          user('hi'),
          // As a client sends it back: without reasoning, its arguments written anew.
          {
            role: 'assistant',
            content: 'So.',
            tool_calls: [{ ...toolCall, function: { name: 'add', arguments: '{"a":1}' } }],
          },
          { role: 'tool', tool_call_id: toolCall?.id, content: '1' },
        ],
      },
      key,
    );
    expect(second.choice.message.content).toBe('It is 1.');
    expect(await view(test, second.id)).toMatchObject({ parent_id: first.id, untrainable: null });
    expect(await view(test, first.id)).toMatchObject({ untrainable: null, finish_reason: 'stop' });
  });

  it('stream their name first and then their arguments, and no tag', async () => {
    const test = create({ model: toolModel, script: saying(thinking) });
    const chunks = await chunksOf(test, { tools });
    const deltas = chunks.map((chunk) => chunk.choices[0]?.delta);
    const calls = deltas.flatMap((delta) => delta?.tool_calls ?? []);
    expect(calls[0]).toMatchObject({ index: 0, type: 'function', function: { name: 'add', arguments: '' } });
    expect(calls.map((part) => part.function.arguments ?? '').join('')).toBe('{"a": 1}');
    expect(
      deltas
        .map((delta) => delta?.content ?? '')
        .join('')
        .trim(),
    ).toBe('So.');
    expect(
      deltas
        .map((delta) => delta?.reasoning_content ?? '')
        .join('')
        .trim(),
    ).toBe('hm');
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
  });

  it.each([
    ['required', 'required', '<tool_call>\n{"name": "', 'add", "arguments": {"a": 1}}\n</tool_call>'],
    [
      'named',
      { type: 'function', function: { name: 'add' } },
      '<tool_call>\n{"name": "add", "arguments":',
      ' {"a": 1}}\n</tool_call>',
    ],
  ])('are forced by an opening that is prompt, not answer: %s', async (_reason, choice, opening, answer) => {
    const test = create({ model: toolModel, script: saying(answer) });
    const reply = await whole(test, { tools, tool_choice: choice });
    expect(promptText(test)).toMatch(new RegExp(`${opening.replace(/[{}"]/g, '\\$&')}$`));
    expect(reply.choice.message.tool_calls).toMatchObject([{ function: { name: 'add', arguments: '{"a": 1}' } }]);
    const stored = await view(test, reply.id);
    const sampled = stored.tokens?.filter(({ id }) => id !== TINY_SPECIALS.imEnd).map((token) => token.text);
    expect(sampled?.join('')).toBe(answer);
    expect(stored.prompt_tokens).toBe(test.tasks[0]?.promptTokenIds.length);
    expect(stored.untrainable).toBeNull();
  });

  it('are neither rendered nor parsed with tool choice none', async () => {
    const test = create({ model: toolModel, script: saying(call) });
    const reply = await whole(test, { tools, tool_choice: 'none' });
    expect(promptText(test)).not.toContain('Does add.');
    expect(reply.choice).toMatchObject({ finish_reason: 'stop', message: { content: call } });
  });

  it('are called once when they may not be called in parallel, and what is sampled behind is no part of it', async () => {
    const twice = `${call}\n${callText('multiply', { a: 2 })}`;
    const both = create({ model: toolModel, script: saying(twice) });
    expect((await whole(both, { tools })).choice.message.tool_calls).toHaveLength(2);
    const one = create({ model: toolModel, script: saying(twice) });
    const reply = await whole(one, { tools, parallel_tool_calls: false });
    expect(reply.choice.message.tool_calls).toHaveLength(1);
    const stored = await view(one, reply.id);
    expect(stored.tokens?.map((token) => token.text).join('')).toBe(call);
    expect(stored.untrainable).toBeNull();
  });
});

describe('the stock OpenAI client', () => {
  it('runs tools by itself, streamed, with usage asked for', async () => {
    const test = create({ model: toolModel, script: saying(callText('add', { a: 1 }), 'It is 1.') });
    const { url } = await test.gateway.listen();
    const client = new OpenAI({ apiKey: (await test.startSession()).key, baseURL: `${url}/v1`, maxRetries: 0 });
    const seen: unknown[] = [];
    const runner = client.chat.completions.runTools({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'hi' }],
      tools: [
        {
          type: 'function',
          function: {
            name: 'add',
            description: 'Adds.',
            parameters: { type: 'object', properties: { a: { type: 'number' } } },
            parse: (text: string) => JSON.parse(text) as object,
            function: (values: object) => {
              seen.push(values);
              return '1';
            },
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe('It is 1.');
    expect(seen).toEqual([{ a: 1 }]);
    expect((await runner.totalUsage()).completion_tokens).toBeGreaterThan(10);
  });

  it('gets n choices and their log-probs', async () => {
    const test = create({ script: (_task, index) => [{ kind: 'text', text: `c${index}` }] });
    const { url } = await test.gateway.listen();
    const client = new OpenAI({ apiKey: (await test.startSession()).key, baseURL: `${url}/v1`, maxRetries: 0 });
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const reply = await client.chat.completions.create({ model: 'm', messages, n: 2, logprobs: true });
    expect(reply.choices.map((choice) => choice.message.content)).toEqual(['c0', 'c1']);
    expect(reply.choices.map((choice) => choice.logprobs?.content?.map(({ token }) => token).join(''))).toEqual([
      'c0',
      'c1',
    ]);
  });
});
