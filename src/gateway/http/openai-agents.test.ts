import { Agent, OpenAIProvider, Runner, setTracingDisabled, tool } from '@openai/agents';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { TINY_SPECIALS } from '../../embedded/model/testing/tiny-tokenizer';
import { sessionDetailSchema } from '../../shared/wire/rl';
import { ADMIN_KEY, createTestGateway, type TestGateway } from '../testing/test-gateway';
import { callText, saying, toolModel } from '../testing/tool-model';

// Traces would be sent to OpenAI.
beforeAll(() => setTracingDisabled(true));

let test: TestGateway;
afterEach(() => test.close());

const numbers = z.object({ a: z.number(), b: z.number() });
const add = tool({ name: 'add', description: 'Adds.', parameters: numbers, execute: ({ a, b }) => String(a + b) });
const multiply = tool({
  name: 'multiply',
  description: 'Multiplies.',
  parameters: numbers,
  execute: ({ a, b }) => String(a * b),
});

/** (3 + 4) × 5, thinking before each step: two calls, then the answer. */
const script = [
  `<think>\nadd first\n</think>\n\n${callText('add', { a: 3, b: 4 })}`,
  `<think>\nnow times five\n</think>\n\n${callText('multiply', { a: 7, b: 5 })}`,
  '<think>\ndone\n</think>\n\nThe result is 35.',
];

describe.each([
  ['chat completions', false],
  ['responses', true],
])('the calculator agent over %s', (_name, useResponses) => {
  it.each([false, true])('computes with both tools and is rated, streamed: %s', async (stream) => {
    test = createTestGateway({ script: saying(...script), model: toolModel });
    const { url } = await test.gateway.listen();
    const { key, id } = await test.startSession();
    const provider = new OpenAIProvider({ apiKey: key, baseURL: `${url}/v1`, useResponses });
    const agent = new Agent({
      name: 'calculator',
      instructions: 'Use the tools.',
      model: await provider.getModel('any'),
      tools: [add, multiply],
    });
    expect(await run(agent, stream)).toBe('The result is 35.');
    expect(test.tasks).toHaveLength(3);
    // Responses send the thoughts back, so that every prompt goes on exactly where the answer before it ended.
    if (useResponses) for (const k of [0, 1]) expect(startOf(k + 1, wholeOf(k).length)).toEqual(wholeOf(k));

    const rate = await test.call('POST', '/rl/set_reward', { key, body: { reward: 1 } });
    expect(rate.status).toBe(200);
    const ended = await test.call('POST', '/rl/end_session', { key, body: {} });
    expect(await ended.json()).toMatchObject({ interaction_count: 3 });
    expect(await conversationOf(id)).toEqual([
      { parent: null, isRated: false },
      { parent: 0, isRated: false },
      { parent: 1, isRated: true },
    ]);
  });
});

async function run(agent: Agent, stream: boolean): Promise<string | undefined> {
  const runner = new Runner({ tracingDisabled: true });
  if (!stream) return (await runner.run(agent, 'What is (3 + 4) * 5?')).finalOutput;
  const result = await runner.run(agent, 'What is (3 + 4) * 5?', { stream: true });
  const pieces: string[] = [];
  for await (const event of result)
    if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta')
      pieces.push(event.data.delta);
  await result.completed;
  expect(pieces.join('')).toContain('The result is 35.');
  return result.finalOutput;
}

/** Each interaction's parent as its place in the session, and whether it has a rating of its own. */
async function conversationOf(sessionId: string): Promise<unknown> {
  const reply = await test.call('GET', `/rl/sessions/${sessionId}`, { key: ADMIN_KEY });
  const { interactions } = sessionDetailSchema.parse(await reply.json());
  const ids = interactions.map((interaction) => interaction.interaction_id);
  return interactions.map(({ parent_id: parent, reward }) => ({
    parent: parent === null ? null : ids.indexOf(parent),
    isRated: reward !== null,
  }));
}

/** Prompt and answer of the k-th request, as token ids. */
function wholeOf(k: number): number[] {
  return [...(test.tasks[k]?.promptTokenIds ?? []), ...Buffer.from(script[k] ?? '', 'utf8'), TINY_SPECIALS.imEnd];
}

function startOf(k: number, length: number): number[] {
  return test.tasks[k]?.promptTokenIds.slice(0, length) ?? [];
}
