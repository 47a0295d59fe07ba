import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ListenError } from '../compose';
import { ADMIN_KEY, createTestGateway, type TestGateway } from '../testing/test-gateway';

let test: TestGateway;
let baseURL: string;

beforeEach(async () => {
  test = createTestGateway({ script: () => [{ kind: 'text', text: 'grüß 😀' }] });
  const { url } = await test.gateway.listen();
  baseURL = `${url}/v1`;
});
afterEach(() => test.close());

const clientOf = (apiKey: string): OpenAI => new OpenAI({ apiKey, baseURL, maxRetries: 0 });
const messages = [{ role: 'user', content: 'hi' }] as const;

describe('the stock OpenAI client', () => {
  it('gets a whole answer', async () => {
    const { key } = await test.startSession();
    const completion = await clientOf(key).chat.completions.create({ model: 'any', messages: [...messages] });
    expect(completion.choices[0]?.message.content).toBe('grüß 😀');
    expect(completion.id).toMatch(/^chatcmpl-/);
  });

  it('gets a streamed answer in pieces, and goes on from its own message', async () => {
    const client = clientOf((await test.startSession()).key);
    const stream = await client.chat.completions.create({ model: 'any', messages: [...messages], stream: true });
    const pieces: string[] = [];
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      pieces.push(chunk.choices[0]?.delta.content ?? '');
      usage = chunk.usage ?? usage;
    }
    expect(pieces.join('')).toBe('grüß 😀');
    expect(pieces.length).toBeGreaterThan(4);
    expect(usage?.completion_tokens).toBeGreaterThan(4);
    const next = await client.chat.completions.create({
      model: 'any',
      messages: [...messages, { role: 'assistant', content: pieces.join('') }, { role: 'user', content: 'more' }],
    });
    expect(next.choices[0]?.finish_reason).toBe('stop');
  });

  it('lists the model', async () => {
    const list = await clientOf('any').models.list();
    expect(list.data.map((model) => model.id)).toEqual(['tiny-model']);
  });

  it.each([
    ['an unknown key', 'sk-sess-unknown', {}, 401, /Invalid session key/],
    ['two budgets', null, { max_tokens: 1, max_completion_tokens: 2 }, 400, /contradict/],
    [
      'a prompt over the context',
      null,
      { messages: [{ role: 'user', content: 'x'.repeat(400) }] },
      400,
      /maximum context/,
    ],
  ] as const)('raises its own error for %s', async (_reason, key, fields, status, message) => {
    const client = clientOf(key ?? (await test.startSession()).key);
    const request = {
      model: 'any',
      messages: [...messages],
      ...fields,
    } as OpenAI.ChatCompletionCreateParamsNonStreaming;
    const error = await client.chat.completions.create(request).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect(error).toMatchObject({ status, message: expect.stringMatching(message) });
  });
});

describe('a client that hangs up', () => {
  it.each([true, false])('leaves a partial answer that can be rated, streamed: %s', async (stream) => {
    const client = new AbortController();
    const endless = createTestGateway({
      config: { retryGraceMs: 0 },
      script: () => [
        { kind: 'text', text: 'par' },
        {
          kind: 'wait',
          get until(): Promise<void> {
            setImmediate(() => client.abort());
            return new Promise(() => undefined);
          },
        },
      ],
    });
    const { url } = await endless.gateway.listen();
    const { key } = await endless.startSession();
    const openai = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
    const request = { model: 'm', messages: [...messages], stream };
    await openai.chat.completions.create(request, { signal: client.signal }).catch(() => null);
    let rated: Response;
    do {
      // Sockets get their turn; a call of the app alone would only run microtasks.
      await new Promise((resolve) => setImmediate(resolve));
      rated = await endless.call('POST', '/rl/set_reward', { key, body: { reward: 1 } });
    } while (rated.status !== 200);
    const { interaction_id: id } = (await rated.json()) as { interaction_id: string };
    const view = await endless.call('GET', `/rl/interactions/${id}`, { key: ADMIN_KEY });
    expect(await view.json()).toMatchObject({ finish_reason: 'abort', output: 'par' });
    await endless.close();
  });
});

describe('listen', () => {
  it('names a port that is in use, and what to do', async () => {
    const port = Number(new URL(baseURL).port);
    const second = createTestGateway({ config: { port } });
    const error = await second.gateway.listen().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ListenError);
    expect(error).toMatchObject({ kind: 'port-in-use', message: expect.stringContaining(String(port)) });
    expect((error as ListenError).advice).toMatch(/another port/);
    await second.close();
  });
});
