import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { ADMIN_KEY, createTestGateway, type TestGateway } from '../testing/test-gateway';
import { callText, saying, toolModel } from '../testing/tool-model';

let test: TestGateway;
afterEach(() => test.close());

const model = 'any';
const tools: OpenAI.Responses.FunctionTool[] = [
  {
    type: 'function',
    name: 'add',
    description: 'Adds.',
    parameters: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
    strict: true,
  },
];

async function connect(...texts: readonly string[]): Promise<OpenAI> {
  test = createTestGateway({ script: saying(...texts), model: toolModel });
  const { url } = await test.gateway.listen();
  const { key } = await test.startSession();
  return new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
}

describe('the stock OpenAI client, responses', () => {
  it('gets a whole answer and continues it', async () => {
    const client = await connect('grüß 😀', 'wieder');
    const first = await client.responses.create({ model, input: 'hi', instructions: 'Greet.' });
    expect(first).toMatchObject({ status: 'completed', output_text: 'grüß 😀', error: null });
    const second = await client.responses.create({ model, input: 'again', previous_response_id: first.id });
    expect(second.output_text).toBe('wieder');
    expect(second.usage?.input_tokens).toBeGreaterThan(first.usage?.input_tokens ?? Number.NaN);
  });

  it('streams text in pieces and ends with the same response that can be read again', async () => {
    const client = await connect('grüß 😀');
    const stream = await client.responses.create({ model, input: 'hi', stream: true });
    const pieces: string[] = [];
    let final: OpenAI.Responses.Response | null = null;
    for await (const event of stream) {
      if (event.type === 'response.output_text.delta') pieces.push(event.delta);
      if (event.type === 'response.completed') final = event.response;
    }
    expect(pieces.join('')).toBe('grüß 😀');
    expect(pieces.length).toBeGreaterThan(4);
    expect(await client.responses.retrieve(final?.id ?? '')).toMatchObject({ ...final });
    await client.responses.delete(final?.id ?? '');
    await expect(client.responses.retrieve(final?.id ?? '')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });

  it('puts a streamed answer together itself, thoughts, text and calls', async () => {
    const client = await connect(`<think>\ncarry\n</think>\n\nLet me see.\n${callText('add', { a: 1, b: 2 })}`);
    const stream = client.responses.stream({ model, input: 'add', tools });
    const calls: string[] = [];
    stream.on('response.function_call_arguments.delta', (event) => calls.push(event.delta));
    const final = await stream.finalResponse();
    expect(final.output.map((item) => item.type)).toEqual(['reasoning', 'message', 'function_call']);
    expect(JSON.parse(calls.join(''))).toEqual({ a: 1, b: 2 });
    expect(final.output[0]).toMatchObject({ content: [{ type: 'reasoning_text', text: 'carry' }] });
    expect(final.output_text.trim()).toBe('Let me see.');
  });

  it('runs a round of tools by sending items back, and parses their arguments', async () => {
    const client = await connect(`${callText('add', { a: 1, b: 2 })}\n${callText('add', { a: 3, b: 4 })}`, '3 and 7');
    const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'add both' }];
    const first = await client.responses.parse({ model, input, tools });
    const calls = first.output.filter((item) => item.type === 'function_call');
    expect(calls.map((call) => call.parsed_arguments)).toEqual([
      { a: 1, b: 2 },
      { a: 3, b: 4 },
    ]);
    const results = calls.map((call) => {
      const { a, b } = call.parsed_arguments as { a: number; b: number };
      return { type: 'function_call_output' as const, call_id: call.call_id, output: String(a + b) };
    });
    const replay = first.output as OpenAI.Responses.ResponseInputItem[];
    const second = await client.responses.create({ model, input: [...input, ...replay, ...results], tools });
    expect(second.output_text).toBe('3 and 7');
  });

  it('counts input tokens', async () => {
    const client = await connect('x');
    const { input_tokens: count } = await client.responses.inputTokens.count({ model, input: 'hi' });
    const { usage } = await client.responses.create({ model, input: 'hi' });
    expect(count).toBe(usage?.input_tokens);
  });

  it('raises its own errors', async () => {
    const client = await connect('x');
    const failure = client.responses.create({ model, input: 'x', previous_response_id: 'resp_none' });
    await expect(failure).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' });
    await expect(failure).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    const image = [{ type: 'input_image' as const, image_url: 'data:,', detail: 'auto' as const }];
    const picture = client.responses.create({ model, input: [{ role: 'user', content: image }] });
    await expect(picture).rejects.toMatchObject({ status: 400, param: 'input[0]' });
    const stranger = new OpenAI({ apiKey: 'sk-sess-unknown', baseURL: client.baseURL, maxRetries: 0 });
    await expect(stranger.responses.create({ model, input: 'x' })).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });
});

describe('a client that hangs up in the middle of a response', () => {
  it('leaves a partial answer that can be rated', async () => {
    const never = new Promise<void>(() => undefined);
    const script = [{ kind: 'text', text: 'par' } as const, { kind: 'wait', until: never } as const];
    test = createTestGateway({ script: () => script, model: toolModel });
    const { url } = await test.gateway.listen();
    const { key } = await test.startSession();
    const client = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
    const stream = await client.responses.create({ model, input: 'hi', stream: true });
    let responseId = '';
    let text = '';
    for await (const event of stream) {
      if (event.type === 'response.created') responseId = event.response.id;
      if (event.type === 'response.output_text.delta') text += event.delta;
      if (text === 'par') break; // leaving the loop closes the connection
    }
    let rated: Response;
    do {
      // Sockets get their turn; a call of the app alone would only run microtasks.
      await new Promise((resolve) => setImmediate(resolve));
      const body = { reward: 1, interaction_id: responseId };
      rated = await test.call('POST', '/rl/set_reward', { key, body });
    } while (rated.status !== 200);
    const { interaction_id: id } = (await rated.json()) as { interaction_id: string };
    const view = await test.call('GET', `/rl/interactions/${id}`, { key: ADMIN_KEY });
    expect(await view.json()).toMatchObject({ finish_reason: 'abort', output: 'par' });
  });
});
