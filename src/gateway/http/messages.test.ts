import { afterEach, describe, expect, it } from 'vitest';
import { type MessageBody, messageSchema } from '../../shared/wire/anthropic-messages';
import { ADMIN_KEY, createTestGateway, type TestGateway } from '../testing/test-gateway';
import { callText, readEvents, saying, toolModel } from '../testing/tool-model';

let test: TestGateway;
let key: string;
afterEach(() => test.close());

const tools = [
  { name: 'add', description: 'sum', input_schema: { type: 'object', properties: { a: { type: 'number' } } } },
];
const question = { max_tokens: 200, messages: [{ role: 'user', content: 'add' }] };
const thoughtfulCall = `<think>\nhm\n</think>\n\nsum:\n${callText('add', { a: 1 })}`;

async function open(...texts: readonly string[]): Promise<(body: Record<string, unknown>) => Promise<Response>> {
  test = createTestGateway({ script: saying(...texts), model: toolModel });
  key = (await test.startSession()).key;
  return (body) => test.call('POST', '/v1/messages', { headers: { 'x-api-key': key }, body: { model: 'm', ...body } });
}

async function parse(reply: Response): Promise<MessageBody> {
  return messageSchema.parse(await reply.json());
}

/** What the engine read, as text. */
const promptOf = (index: number): string =>
  Buffer.from(test.tasks[index]!.promptTokenIds.filter((id) => id < 256)).toString('utf8');

describe('POST /v1/messages', () => {
  it('answers whole', async () => {
    const ask = await open('four');
    const body = await parse(await ask({ ...question, system: 'Be short.' }));
    expect(body).toMatchObject({
      id: expect.stringMatching(/^msg_[0-9a-f]{29}$/),
      role: 'assistant',
      content: [{ type: 'text', text: 'four' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: test.tasks[0]?.promptTokenIds.length, output_tokens: 5, cache_read_input_tokens: 0 },
    });
    expect(promptOf(0)).toBe('system\nBe short.\nuser\nadd\nassistant\n');
  });

  it('gives an id that a rating can name', async () => {
    const ask = await open('four');
    const { id, plaudit } = await parse(await ask(question));
    const rated = await test.call('POST', '/rl/set_reward', {
      key: ADMIN_KEY,
      body: { reward: 1, interaction_id: id },
    });
    expect(await rated.json()).toMatchObject({ interaction_id: plaudit.interaction_id });
  });

  it("streams every event in Anthropic's order", async () => {
    const ask = await open(thoughtfulCall);
    const events = await readEvents(await ask({ ...question, tools, stream: true }));
    const names = events.map((event) => event.name);
    expect(names).toEqual(events.map((event) => event.data.type));
    const told = events.map(({ data }) => {
      const part = (data.delta ?? data.content_block) as { type?: string } | undefined;
      return part?.type === undefined ? data.type : `${data.type} ${part.type}`;
    });
    expect(told.filter((text, index) => text !== told[index - 1])).toEqual([
      'message_start',
      'ping',
      'content_block_start thinking',
      'content_block_delta thinking_delta',
      'content_block_delta signature_delta',
      'content_block_stop',
      'content_block_start text',
      'content_block_delta text_delta',
      'content_block_stop',
      'content_block_start tool_use',
      'content_block_delta input_json_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    const partial = events.map(({ data }) => (data.delta as { partial_json?: string } | undefined)?.partial_json ?? '');
    expect(JSON.parse(partial.join(''))).toEqual({ a: 1 });
    expect(events[events.length - 2]?.data).toMatchObject({
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { input_tokens: test.tasks[0]?.promptTokenIds.length },
    });
  });

  it('answers with blocks, and reads them back as the turn they were sampled as', async () => {
    const ask = await open(thoughtfulCall, 'two');
    const first = await parse(await ask({ ...question, tools }));
    expect(first.content).toMatchObject([
      { type: 'thinking', thinking: 'hm' },
      { type: 'text' },
      { type: 'tool_use', name: 'add', input: { a: 1 } },
    ]);
    expect(first.stop_reason).toBe('tool_use');
    const { id } = first.content[2] as { id: string };
    const results = [
      { type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text: '2' }] },
      { type: 'text', text: 'well?' },
    ];
    const messages = [
      ...question.messages,
      { role: 'assistant', content: first.content },
      { role: 'user', content: results },
    ];
    await parse(await ask({ ...question, tools, messages }));
    expect(promptOf(1)).toMatch(
      /<think>\nhm\n<\/think>\n\nsum:\s*<tool_call>\n\{"name": "add", "arguments": \{"a": 1\}\}\n<\/tool_call>\ntool\n2\nuser\nwell\?\nassistant\n$/,
    );
  });

  it.each([
    ['the budget', { max_tokens: 3 }, 'max_tokens', null],
    ['a stop sequence', { stop_sequences: ['ng'] }, 'stop_sequence', 'ng'],
    ['the end of the turn', {}, 'end_turn', null],
  ])('says that %s ended it', async (_reason, fields, stopReason, stopSequence) => {
    const ask = await open('a long answer', 'a long answer');
    const body = await parse(await ask({ ...question, ...fields }));
    expect(body).toMatchObject({ stop_reason: stopReason, stop_sequence: stopSequence });
    const events = await readEvents(await ask({ ...question, ...fields, stream: true }));
    const delta = events.find((event) => event.name === 'message_delta')?.data.delta;
    expect(delta).toEqual({ stop_reason: stopReason, stop_sequence: stopSequence });
  });

  it('counts tokens of earlier turns apart, as read from the cache', async () => {
    const ask = await open('four', 'five');
    const { content } = await parse(await ask(question));
    const messages = [...question.messages, { role: 'assistant', content }, { role: 'user', content: 'more' }];
    const { usage } = await parse(await ask({ ...question, messages }));
    expect(usage.cache_read_input_tokens).toBeGreaterThan(0);
    expect(usage.input_tokens + usage.cache_read_input_tokens).toBe(test.tasks[1]?.promptTokenIds.length);
  });

  it('says what the prompt takes already when the stream begins', async () => {
    const ask = await open('four', 'five');
    const { content } = await parse(await ask(question));
    const messages = [...question.messages, { role: 'assistant', content }, { role: 'user', content: 'more' }];
    const events = await readEvents(await ask({ ...question, messages, stream: true }));
    const usageOf = (name: string) => events.find((event) => event.name === name)?.data;
    const begun = messageSchema.parse(usageOf('message_start')?.message).usage;
    expect(begun.cache_read_input_tokens).toBeGreaterThan(0);
    expect(begun.input_tokens + begun.cache_read_input_tokens).toBe(test.tasks[1]?.promptTokenIds.length);
    expect(usageOf('message_delta')?.usage).toEqual({ ...begun, output_tokens: 5 });
  });

  it('tells the model that a tool failed', async () => {
    const ask = await open('sorry');
    const use = { type: 'tool_use', id: 'call_1', name: 'add', input: {} };
    const result = { type: 'tool_result', tool_use_id: 'call_1', is_error: true, content: 'no such file' };
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'zzz' }, use] },
      { role: 'user', content: [result] },
    ];
    expect((await ask({ ...question, messages })).status).toBe(200);
    expect(promptOf(0)).toContain('tool\nError: no such file');
  });

  it('joins text blocks of system and user by line breaks', async () => {
    const ask = await open('fine');
    const texts = [
      { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'b' },
    ];
    await ask({ ...question, system: texts, messages: [{ role: 'user', content: texts }] });
    expect(promptOf(0)).toBe('system\na\nb\nuser\na\nb\nassistant\n');
  });
});

describe('a retry', () => {
  it('with the same Idempotency-Key gets the same message', async () => {
    await open('once', 'twice');
    const headers = { 'idempotency-key': 'k1' };
    const send = (): Promise<Response> =>
      test.call('POST', '/v1/messages', { key, headers, body: { model: 'm', ...question } });
    const [first, second] = await Promise.all([send(), send()]);
    expect(await parse(second)).toEqual(await parse(first));
    expect(test.tasks).toHaveLength(1);
  });
});

describe('POST /v1/messages/count_tokens', () => {
  it('counts exactly what the prompt will have, without sampling', async () => {
    const ask = await open('four');
    const { max_tokens: _budget, ...counted } = { ...question, tools, system: 'Be short.' };
    const reply = await test.call('POST', '/v1/messages/count_tokens', { key, body: { model: 'm', ...counted } });
    expect(test.tasks).toEqual([]);
    const { usage } = await parse(await ask({ ...question, tools, system: 'Be short.' }));
    expect(await reply.json()).toEqual({ input_tokens: usage.input_tokens });
  });

  it('counts a prompt that is too long for the model', async () => {
    await open();
    const messages = [{ role: 'user', content: 'x'.repeat(9000) }];
    const reply = await test.call('POST', '/v1/messages/count_tokens', { key, body: { model: 'm', messages } });
    expect(((await reply.json()) as { input_tokens: number }).input_tokens).toBeGreaterThan(9000);
  });
});

describe('a count of far too much', () => {
  it('names the context that the model really has', async () => {
    await open();
    const messages = [{ role: 'user', content: 'x '.repeat(100_000) }];
    const reply = await test.call('POST', '/v1/messages/count_tokens', { key, body: { model: 'm', messages } });
    const told = await test.call('POST', '/v1/messages', { key, body: { model: 'm', max_tokens: 4, messages } });
    const [limit, ownLimit] = [await reply.text(), await told.text()].map(
      (text) => /length is (\d+) tokens/.exec(text)?.[1],
    );
    expect(limit).toMatch(/^\d+$/);
    expect(limit).toBe(ownLimit);
  });
});

describe('a request that cannot be honoured', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } };
  const asking = (...content: object[]): object => ({ messages: [{ role: 'user', content }] });

  it.each([
    ['no budget', { max_tokens: undefined }, /max_tokens/],
    ['no messages', { messages: [] }, /messages/],
    ['a picture', asking(image), /messages\.0\.content\.0.*image/],
    ['a document', asking({ type: 'document', source: {} }), /document/],
    ['a picture in a tool result', asking({ type: 'tool_result', tool_use_id: 'a', content: [image] }), /image/],
    ['a tool result of no call', asking({ type: 'tool_result', content: 'x' }), /tool_use_id/],
    ['a role of another dialect', { messages: [{ role: 'tool', content: 'x' }] }, /'tool' is not/],
    ['a role that every object has', { messages: [{ role: 'constructor', content: 'x' }] }, /'constructor' is not/],
    ['a prefilled answer', { messages: [{ role: 'assistant', content: 'I' }] }, /Prefilling/],
    ["a provider's tool", { tools: [{ type: 'bash_20250124', name: 'bash' }] }, /bash_20250124/],
    ['any of no tools', { tool_choice: { type: 'any' } }, /needs tools/],
    ['a tool that is not there', { tools, tool_choice: { type: 'tool', name: 'sub' } }, /sub is not among/],
    ['servers to call', { mcp_servers: [{ url: 'http://x' }] }, /mcp_servers/],
    ['a format without a schema', { output_config: { format: { type: 'json_schema' } } }, /output_config\.format/],
  ])("is refused with 400 in Anthropic's body: %s", async (_reason, fields, message) => {
    const ask = await open();
    const reply = await ask({ ...question, ...fields });
    expect(reply.status).toBe(400);
    const body = (await reply.json()) as { detail: string; request_id: string };
    expect(body).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringMatching(message) },
      detail: expect.stringMatching(message),
    });
    expect(reply.headers.get('request-id')).toBe(body.request_id);
    expect(test.tasks).toEqual([]);
  });

  it('has the error type of its status', async () => {
    const ask = await open();
    const stranger = await test.call('POST', '/v1/messages', { body: { model: 'm', ...question } });
    expect(stranger.status).toBe(401);
    expect(await stranger.json()).toMatchObject({ error: { type: 'authentication_error' } });
    const tooLong = await ask({ ...question, messages: [{ role: 'user', content: 'x'.repeat(9000) }] });
    expect(tooLong.status).toBe(400);
    expect(await tooLong.json()).toMatchObject({ error: { message: expect.stringMatching(/maximum context length/) } });
  });
});

describe('an engine that fails', () => {
  const error = { kind: 'engine-unavailable', message: 'The engine is gone.' } as const;

  it('before its first token is overloaded, with a time to come back', async () => {
    test = createTestGateway({ script: () => [{ kind: 'error', error }] });
    key = (await test.startSession()).key;
    const body = { model: 'm', ...question, stream: true };
    const reply = await test.call('POST', '/messages', { key, body });
    expect(reply.status).toBe(503);
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await reply.json()).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
  });

  it('later ends the stream with an error event', async () => {
    test = createTestGateway({
      script: () => [
        { kind: 'text', text: 'half' },
        { kind: 'error', error },
      ],
    });
    key = (await test.startSession()).key;
    const body = { model: 'm', ...question, stream: true };
    const events = await readEvents(await test.call('POST', '/messages', { key, body }));
    expect(events[events.length - 1]).toMatchObject({
      name: 'error',
      data: { error: { type: 'overloaded_error', message: error.message } },
    });
  });
});
