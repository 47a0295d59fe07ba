// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { InteractionView } from '../../../shared/wire/rl';
import { renderScreen } from '../../testing/dom';
import { FakeGateway } from '../../testing/fake-gateway';
import { interactionOf, sessionOf } from '../../testing/fake-wire';
import { columnName } from './format';
import { prepareRate, RateWindow } from './testing/rate-window';

beforeEach(prepareRate);
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** A gateway that remembers one answer, or one round of several, of this conversation. */
function recorded(...answers: readonly Partial<InteractionView>[]): FakeGateway {
  const gateway = new FakeGateway();
  for (const [index, answer] of answers.entries()) {
    const session = sessionOf(`s-${index}`, 'chat-1', answers.length > 1 ? 'round' : undefined, index);
    gateway.sessions.push(session);
    gateway.interactions.push({
      ...interactionOf(`i-${index}`, session.session_id, [{ role: 'user', content: 'Hi' }], index),
      state: 'finished',
      finish_reason: 'stop',
      output: `Answer ${index}`,
      ...answer,
    });
  }
  return gateway;
}

const thought = { role: 'assistant', content: null, reasoning_content: 'Let me think.' };
const call = { id: 'c', type: 'function', function: { name: 'look_up', arguments: '{"place":"Lima"}' } };

describe('an answer that is not just text', () => {
  it.each([
    [
      'thoughts alone are open and said to be alone',
      { output: '', output_message: thought },
      true,
      'then said nothing',
    ],
    ['thoughts before an answer are folded', { output_message: { ...thought, content: 'Answer' } }, false, null],
    [
      'thoughts before a call are folded',
      { output: '', output_message: { ...thought, tool_calls: [call] } },
      false,
      null,
    ],
  ])('%s', async (_name, answer, isOpen, words) => {
    renderScreen(<RateWindow />, { gateway: recorded(answer) });
    const thoughts = await screen.findByTestId<HTMLDetailsElement>('answer-reasoning');
    expect(thoughts.open).toBe(isOpen);
    expect(thoughts.textContent).toContain('Let me think.');
    const none = screen.queryByTestId('answer-none');
    if (words === null) expect(none).toBeNull();
    else expect(none?.textContent).toContain(words);
  });

  it('opens thoughts that were streamed once it is known that nothing follows', async () => {
    const gateway = new FakeGateway();
    let goOn = (): void => {};
    gateway.answer = () => [
      { text: '', version: 0, delta: { reasoning_content: 'Let me think.' } },
      { text: '', version: 0, after: new Promise((resolve) => (goOn = resolve)) },
    ];
    const { user } = renderScreen(<RateWindow />, { gateway });
    await screen.findByTestId('send');
    await user.type(screen.getByTestId('composer'), 'Hi{Enter}');
    expect((await screen.findByTestId<HTMLDetailsElement>('answer-reasoning')).open).toBe(false);
    goOn();
    await screen.findByTestId('answer-none');
    expect(screen.getByTestId<HTMLDetailsElement>('answer-reasoning').open).toBe(true);
  });

  it('says that an empty one is empty', async () => {
    renderScreen(<RateWindow />, { gateway: recorded({ output: '' }) });
    expect((await screen.findByTestId('answer-none')).textContent).toBe('The answer is empty.');
  });

  it('keeps what was said before an error, with the reason and a way on', async () => {
    const broken = { state: 'failed', output: 'It was going', error: 'The engine ended its answer.' } as const;
    renderScreen(<RateWindow />, { gateway: recorded({ ...broken, finish_reason: null }) });
    const problem = await screen.findByTestId('answer-problem');
    expect(screen.getByTestId('answer-text').textContent).toBe('It was going');
    expect(problem.textContent).toContain('The answer broke off: The engine ended its answer.');
    expect(within(problem).getByTestId('retry')).toBeTruthy();
    expect(screen.getByTestId('score-1')).toHaveProperty('disabled', true);
  });
});

describe('a round of twelve', () => {
  it('stands in rows, and letters that mean something else keep their meaning', async () => {
    const gateway = recorded(...Array.from({ length: 12 }, () => ({})));
    const { user } = renderScreen(<RateWindow />, { gateway });
    await waitFor(() => expect(screen.getAllByTestId('answer')).toHaveLength(12));
    expect(screen.getAllByTestId('answer')[0]?.parentElement?.dataset.many).toBe('true');
    const selected = () => screen.getAllByTestId('answer').findIndex(({ dataset }) => dataset.selected === 'true');
    await screen.findByTestId('score-1');
    await user.keyboard('{Escape}');
    for (const [key, expected] of [
      ['i', 8],
      ['j', 9],
      ['j', 10],
      ['k', 9],
      ['a', 0],
    ] as const) {
      await user.keyboard(key);
      await waitFor(() => expect(selected()).toBe(expected));
    }
  });

  it('names more columns than there are letters', () => {
    expect([0, 25, 26, 27, 51, 52].map(columnName)).toEqual(['A', 'Z', 'AA', 'AB', 'AZ', 'BA']);
  });
});
