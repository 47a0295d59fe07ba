import { afterEach, describe, expect, it } from 'vitest';
import { type PythonClients, preparePythonClients, SCRIPT_MS } from '../testing/python-clients';
import { createTestGateway, type TestGateway } from '../testing/test-gateway';
import { callText, saying, toolModel } from '../testing/tool-model';

const prepared = await preparePythonClients();
if (typeof prepared === 'string') console.warn(`skipped: ${prepared}`);
const HELLO = 'grüß 😀';
const CALL = `<think>\ncarry\n</think>\n\n${callText('add', { a: 1, b: 2 })}`;
const CALCULATION = [
  callText('add', { a: 3, b: 4 }),
  `<think>\nnow times five\n</think>\n\n${callText('multiply', { a: 7, b: 5 })}`,
  'The result is 35.',
];

describe.skipIf(typeof prepared === 'string')('a stock Python client', { timeout: SCRIPT_MS + 10_000 }, () => {
  let test: TestGateway;
  afterEach(() => test.close());

  async function run(script: string, texts: readonly string[]): Promise<Record<string, unknown>> {
    test = createTestGateway({ script: saying(...texts), model: toolModel });
    const { url } = await test.gateway.listen();
    const { key } = await test.startSession();
    const seen = await (prepared as PythonClients).run(script, { url, key }); // else skipped
    expect(test.tasks).toHaveLength(texts.length);
    return seen;
  }

  it('openai: chat completions', async () => {
    const seen = await run('chat.py', [HELLO, HELLO, CALL, 'It is 3.']);
    expect(seen).toEqual({
      whole: HELLO,
      id: expect.stringMatching(/^chatcmpl-/),
      streamed: HELLO,
      pieces: expect.any(Number),
      usage: expect.any(Number),
      finish_reason: 'tool_calls',
      values: { a: 1, b: 2 },
      answered: 'It is 3.',
      refused: 401,
    });
    expect(seen.pieces).toBeGreaterThan(4);
  });

  it('openai: responses', async () => {
    const seen = await run('responses.py', [HELLO, 'wieder', HELLO, CALL, 'It is 3.']);
    expect(seen).toEqual({
      whole: HELLO,
      status: 'completed',
      continued: 'wieder',
      streamed: HELLO,
      first: 'response.created',
      last: 'response.completed',
      values: { a: 1, b: 2 },
      answered: 'It is 3.',
    });
  });

  it('anthropic: messages', async () => {
    const seen = await run('messages.py', [HELLO, HELLO, CALL, 'It is 3.']);
    expect(seen).toEqual({
      whole: HELLO,
      id: expect.stringMatching(/^msg_/),
      counted: true,
      streamed: HELLO,
      pieces: expect.any(Number),
      stop_reason: 'end_turn',
      asked: ['thinking', 'tool_use'],
      values: { a: 1, b: 2 },
      answered: 'It is 3.',
      refused: 'authentication_error',
    });
    expect(seen.pieces).toBeGreaterThan(4);
  });

  it('openai-agents: the calculator over chat completions and responses, rated', async () => {
    const seen = await run('calculator_agent.py', [...CALCULATION, ...CALCULATION]);
    expect(seen).toEqual({
      chat: 'The result is 35.',
      responses: 'The result is 35.',
      kinds: ['agent_updated_stream_event', 'raw_response_event', 'run_item_stream_event'],
      outcome: 'set',
    });
  });
});
