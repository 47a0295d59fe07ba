import { AIMessage, type AIMessageChunk, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createTestGateway, type TestGateway } from '../testing/test-gateway';
import { callText, saying, toolModel } from '../testing/tool-model';

let test: TestGateway;
afterEach(() => test.close());

const add = tool(({ a, b }: { a: number; b: number }) => String(a + b), {
  name: 'add',
  description: 'Adds.',
  schema: z.object({ a: z.number(), b: z.number() }),
});

describe.each([false, true])("LangChain's ChatOpenAI, over responses: %s", (useResponsesApi) => {
  async function connect(...texts: readonly string[]): Promise<ChatOpenAI> {
    test = createTestGateway({ script: saying(...texts), model: toolModel });
    const { url } = await test.gateway.listen();
    const { key } = await test.startSession();
    return new ChatOpenAI({
      model: 'any',
      apiKey: key,
      useResponsesApi,
      maxRetries: 0,
      configuration: { baseURL: `${url}/v1` },
    });
  }

  it('invokes', async () => {
    const model = await connect('grüß 😀');
    const answer = await model.invoke('hi');
    expect(answer.text).toBe('grüß 😀');
    expect(answer.usage_metadata?.output_tokens).toBeGreaterThan(4);
  });

  it('streams', async () => {
    const model = await connect('grüß 😀');
    const pieces: string[] = [];
    for await (const chunk of await model.stream('hi')) pieces.push(chunk.text);
    expect(pieces.join('')).toBe('grüß 😀');
    expect(pieces.length).toBeGreaterThan(4);
  });

  it('runs a round of bound tools', async () => {
    const model = (await connect(callText('add', { a: 1, b: 2 }), 'It is 3.')).bindTools([add]);
    const question = new HumanMessage('add');
    const call = await model.invoke([question]);
    expect(call.tool_calls).toMatchObject([{ name: 'add', args: { a: 1, b: 2 } }]);
    const result = (await add.invoke(call.tool_calls![0]!)) as ToolMessage; // what invoking with a call gives
    expect(result).toBeInstanceOf(ToolMessage);
    const answer = await model.invoke([question, call, result]);
    expect(answer).toBeInstanceOf(AIMessage);
    expect(answer.text).toBe('It is 3.');
  });

  it('streams tool calls', async () => {
    const model = (await connect(callText('add', { a: 1, b: 2 }))).bindTools([add]);
    let whole: AIMessageChunk | undefined;
    for await (const chunk of await model.stream('add')) whole = whole === undefined ? chunk : whole.concat(chunk);
    expect(whole?.tool_calls).toMatchObject([{ name: 'add', args: { a: 1, b: 2 } }]);
  });
});
