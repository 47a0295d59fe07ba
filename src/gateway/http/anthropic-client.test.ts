import Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { TINY_SPECIALS } from '../../embedded/model/testing/tiny-tokenizer';
import { ADMIN_KEY, createTestGateway, type TestGateway } from '../testing/test-gateway';
import { callText, saying, toolModel } from '../testing/tool-model';

let test: TestGateway;
afterEach(() => test.close());

const base = { model: 'any', max_tokens: 500 };
const question: Anthropic.MessageParam = { role: 'user', content: 'hi' };
const tools: Anthropic.Tool[] = [
  {
    name: 'add',
    description: 'Adds.',
    input_schema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
  },
];

async function connect(...texts: readonly string[]): Promise<Anthropic> {
  test = createTestGateway({ script: saying(...texts), model: toolModel });
  const { url } = await test.gateway.listen();
  const { key } = await test.startSession();
  return new Anthropic({ apiKey: key, baseURL: url, maxRetries: 0 });
}

describe('the stock Anthropic client', () => {
  it('gets a whole answer, whose id a rating can name', async () => {
    const client = await connect('grüß 😀');
    const message = await client.messages.create({ ...base, system: 'Greet.', messages: [question] });
    expect(message).toMatchObject({
      role: 'assistant',
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: 'grüß 😀' }],
    });
    expect(message._request_id).toMatch(/^req_/);
    const rating = { reward: 1, interaction_id: message.id };
    const rated = await test.call('POST', '/rl/set_reward', { key: ADMIN_KEY, body: rating });
    expect(await rated.json()).toMatchObject({ interaction_id: message.id.replace('msg_', 'chatcmpl-') });
  });

  it('puts a streamed answer together itself: thoughts, text and calls', async () => {
    const client = await connect(`<think>\ncarry\n</think>\n\nLet me see.\n${callText('add', { a: 1, b: 2 })}`);
    const stream = client.messages.stream({ ...base, messages: [question], tools });
    const heard: string[] = [];
    stream.on('thinking', (delta) => heard.push(delta));
    stream.on('inputJson', (delta) => heard.push(delta));
    const message = await stream.finalMessage();
    expect(message.content).toMatchObject([
      { type: 'thinking', thinking: 'carry', signature: message.id },
      { type: 'text' },
      { type: 'tool_use', name: 'add', input: { a: 1, b: 2 } },
    ]);
    expect(message.stop_reason).toBe('tool_use');
    expect(heard.join('')).toMatch(/^carry\{.*\}$/);
    expect(message.usage.input_tokens).toBe(test.tasks[0]?.promptTokenIds.length);
    expect(message.usage.output_tokens).toBeGreaterThan(10);
  });

  it('runs a round of tools', async () => {
    const turn = `<think>\ncarry\n</think>\n\n${callText('add', { a: 1, b: 2 })}`;
    const client = await connect(turn, 'It is 3.');
    const first = await client.messages.create({ ...base, messages: [question], tools });
    const use = first.content.find((block) => block.type === 'tool_use');
    const { a, b } = use!.input as { a: number; b: number };
    const result = { type: 'tool_result' as const, tool_use_id: use!.id, content: String(a + b) };
    const messages: Anthropic.MessageParam[] = [
      question,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [result] },
    ];
    const second = await client.messages.create({ ...base, messages, tools });
    expect(second.content).toMatchObject([{ type: 'text', text: 'It is 3.' }]);
    // Thoughts and arguments came back as blocks, and the prompt goes on exactly where the answer ended.
    const [before, after] = test.tasks.map((task) => [...task.promptTokenIds]);
    const whole = [...(before ?? []), ...Buffer.from(turn, 'utf8'), TINY_SPECIALS.imEnd];
    expect(after?.slice(0, whole.length)).toEqual(whole);
  });

  it('counts tokens', async () => {
    const client = await connect('x');
    const counted = await client.messages.countTokens({ model: 'any', system: 's', messages: [question], tools });
    const { usage } = await client.messages.create({ ...base, system: 's', messages: [question], tools });
    expect(counted.input_tokens).toBe(usage.input_tokens);
  });

  it('lists the model', async () => {
    const client = await connect('x');
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toEqual(['tiny-model']);
  });

  it('accepts a bearer token instead', async () => {
    const { apiKey, baseURL } = await connect('x');
    const client = new Anthropic({ apiKey: null, authToken: apiKey, baseURL, maxRetries: 0 });
    expect((await client.messages.create({ ...base, messages: [question] })).content).toHaveLength(1);
  });

  it('raises its own errors', async () => {
    const client = await connect('x');
    const source = { type: 'base64' as const, media_type: 'image/png' as const, data: 'AA==' };
    const picture = { role: 'user' as const, content: [{ type: 'image' as const, source }] };
    const refused = await client.messages.create({ ...base, messages: [picture] }).catch((reason: unknown) => reason);
    expect(refused).toBeInstanceOf(Anthropic.BadRequestError);
    expect(refused).toMatchObject({ type: 'invalid_request_error', requestID: expect.stringMatching(/^req_/) });
    const stranger = new Anthropic({ apiKey: 'sk-sess-unknown', baseURL: client.baseURL, maxRetries: 0 });
    const unknown = stranger.messages.create({ ...base, messages: [question] });
    await expect(unknown).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
  });
});
