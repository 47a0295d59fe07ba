import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, type LanguageModel, stepCountIs, streamText, tool } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createTestGateway, type TestGateway } from '../testing/test-gateway';
import { callText, saying, toolModel } from '../testing/tool-model';

let test: TestGateway;
afterEach(() => test.close());

const tools = {
  add: tool({
    description: 'Adds.',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => Promise.resolve(a + b),
  }),
};
const script = [`<think>\ncarry\n</think>\n\nLet me see.\n${callText('add', { a: 1, b: 2 })}`, 'It is 3.'];

type Connect = (baseURL: string, apiKey: string) => LanguageModel;
const MODELS: readonly [string, Connect][] = [
  ['responses', (baseURL, apiKey) => createOpenAI({ baseURL, apiKey })('any')],
  ['chat completions', (baseURL, apiKey) => createOpenAI({ baseURL, apiKey }).chat('any')],
  [
    'an OpenAI-compatible server',
    (baseURL, apiKey) => createOpenAICompatible({ name: 'plaudit', baseURL, apiKey, includeUsage: true })('any'),
  ],
];

describe.each(MODELS)("Vercel's ai over %s", (_name, connect) => {
  async function open(...texts: readonly string[]): Promise<LanguageModel> {
    test = createTestGateway({ script: saying(...texts), model: toolModel });
    const { url } = await test.gateway.listen();
    const { key } = await test.startSession();
    return connect(`${url}/v1`, key);
  }

  it('generates text with a round of tools', async () => {
    const model = await open(...script);
    const result = await generateText({ model, tools, prompt: 'add', stopWhen: stepCountIs(3), maxRetries: 0 });
    expect(result.text).toBe('It is 3.');
    expect(result.steps[0]?.toolCalls).toMatchObject([{ toolName: 'add', input: { a: 1, b: 2 } }]);
    expect(result.steps[0]?.toolResults).toMatchObject([{ output: 3 }]);
    expect(result.finishReason).toBe('stop');
    expect(result.totalUsage.outputTokens).toBeGreaterThan(10);
    expect(test.tasks).toHaveLength(2);
  });

  it('streams text with a round of tools', async () => {
    const model = await open(...script);
    const result = streamText({ model, tools, prompt: 'add', stopWhen: stepCountIs(3), maxRetries: 0 });
    const pieces: string[] = [];
    for await (const piece of result.textStream) pieces.push(piece);
    expect(pieces.join('')).toMatch(/Let me see\.\s*It is 3\./);
    expect(pieces.length).toBeGreaterThan(4);
    expect((await result.steps)[0]?.toolCalls).toMatchObject([{ toolName: 'add', input: { a: 1, b: 2 } }]);
    expect(await result.finishReason).toBe('stop');
  });

  it('streams a plain answer', async () => {
    const model = await open('grüß 😀');
    const result = streamText({ model, prompt: 'hi', maxRetries: 0 });
    expect(await result.text).toBe('grüß 😀');
  });
});
