// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { renderScreen } from '../../testing/dom';
import { FakeGateway } from '../../testing/fake-gateway';
import { draftKeys } from './drafts';
import { changeLive, useLiveStore } from './live-store';
import { useRateStore } from './rate-store';
import { prepareRate, RateWindow } from './testing/rate-window';

const never = new Promise<void>(() => {});

beforeEach(prepareRate);
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const composer = () => screen.getByTestId('composer') as HTMLTextAreaElement;
const hint = () => screen.getByTestId('composer-keys').textContent;
const newest = () => screen.getAllByTestId('answer').at(-1)!;
const chats = ({ requests }: FakeGateway) => requests.filter(({ path }) => path.endsWith('/chat/completions')).length;
const rewards = ({ requests }: FakeGateway) =>
  requests.filter(({ path }) => path === '/rl/set_reward').map(({ body }) => body);

async function ask(gateway: FakeGateway, text = 'Hello!') {
  const view = renderScreen(<RateWindow />, { gateway });
  await screen.findByTestId('send');
  await view.user.type(composer(), `${text}{Enter}`);
  await screen.findAllByTestId('answer');
  return view;
}

/** The outlined answer is scored by the next digit, and nothing is typed or sent by it. */
async function expectNextDigitScores(gateway: FakeGateway, user: Awaited<ReturnType<typeof ask>>['user']) {
  await waitFor(() => expect(newest().dataset).toMatchObject({ phase: 'finished', selected: 'true' }));
  await waitFor(() => expect(screen.getByTestId('score-2')).toHaveProperty('disabled', false));
  await user.keyboard('2');
  await waitFor(() => expect(within(newest()).getByTestId('rating-mark').dataset.stars).toBe('2'));
  expect(rewards(gateway)).toMatchObject([{ interaction_id: newest().dataset.interactionId, reward: -0.5 }]);
  expect(composer().value).toBe('');
  expect(chats(gateway)).toBe(1);
  expect(screen.getAllByTestId('prompt')).toHaveLength(1);
}

/** Frames of the answer stay with the network until an abort; the gateway goes on as it likes. */
function withholdStream(gateway: FakeGateway): void {
  const through = gateway.fetch;
  Object.defineProperty(gateway, 'fetch', {
    value: async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
      if (!String(input).endsWith('/chat/completions')) return through(input, init);
      const { signal, ...rest } = init ?? {};
      void through(input, rest);
      return new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError'))),
      );
    },
  });
}

describe('Escape while an answer comes', () => {
  it('says that it stops, keeps what was said, outlines it and leaves the composer, so that a digit scores it', async () => {
    const gateway = new FakeGateway();
    gateway.answer = () => [
      { text: 'Begun', version: 0 },
      { text: ' and never told', version: 0, after: never },
    ];
    const { user } = await ask(gateway);
    await waitFor(() => expect(newest().textContent).toContain('Begun'));
    expect(hint()).toBe('Esc stops the answer');
    await user.keyboard('{Escape}');
    expect(document.activeElement).not.toBe(composer());
    await expectNextDigitScores(gateway, user);
    expect(newest().textContent).toContain('stopped by you');
  });

  it('keeps the whole answer where this window saw none of it and the gateway had it', async () => {
    const gateway = new FakeGateway();
    withholdStream(gateway);
    const { user, desktop } = await ask(gateway);
    await waitFor(() => expect(gateway.interactions[0]?.state).toBe('finished'));
    await user.keyboard('{Escape}');
    expect(document.activeElement).not.toBe(composer());
    await expectNextDigitScores(gateway, user);
    expect(newest().textContent).toContain('You said: Hello! (1)');
    expect(newest().textContent).not.toContain('stopped by you');
    expect(screen.getAllByTestId('answer')).toHaveLength(1);
    expect(desktop.drafts[draftKeys.pending('chat-1')]).toBe('');
  });

  it('waits for an answer that the gateway still closes', async () => {
    const gateway = new FakeGateway();
    withholdStream(gateway);
    let close = (): void => {};
    gateway.answer = () => [{ text: 'Slow', version: 0, after: new Promise((resolve) => (close = resolve)) }];
    const { user } = await ask(gateway);
    await waitFor(() => expect(gateway.interactions).toHaveLength(1));
    await user.keyboard('{Escape}5');
    await waitFor(() => expect(screen.getByTestId('answer').textContent).toContain('stopping'));
    expect(hint()).not.toContain('stops');
    expect(rewards(gateway)).toEqual([]);
    close();
    await expectNextDigitScores(gateway, user);
  });

  it('gives the message back, with the focus elsewhere, where not a token of its answer exists', async () => {
    const gateway = new FakeGateway();
    gateway.answer = () => [{ text: 'never', version: 0, after: never }];
    const { user } = await ask(gateway);
    await waitFor(() => expect(gateway.interactions).toHaveLength(1));
    await user.keyboard('{Escape}');
    await waitFor(() => expect(composer().value).toBe('Hello!'));
    await waitFor(() => expect(screen.queryByTestId('answer')).toBeNull());
    expect(document.activeElement).not.toBe(composer());
    await user.keyboard('2');
    expect(composer().value).toBe('Hello!');
    expect(rewards(gateway)).toEqual([]);
    await user.keyboard('{Enter}');
    expect(document.activeElement).toBe(composer());
    expect(chats(gateway)).toBe(1);
  });

  it('gives nothing back side by side while one of the answers has a token', async () => {
    const gateway = new FakeGateway();
    gateway.answer = (_prompt, nth) => [
      { text: `Begun ${nth}`, version: 0, ...(nth === 1 ? { after: never } : {}) },
      { text: ' more', version: 0, after: never },
    ];
    useRateStore.setState({ columns: 2 });
    const { user } = await ask(gateway);
    await screen.findByText('Begun 2');
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByTestId('stop')).toBeNull());
    expect(composer().value).toBe('');
    expect(screen.getByText('Begun 2')).toBeTruthy();
  });
});

describe('Escape after the answer has finished', () => {
  it('leaves the text and what is in it', async () => {
    const gateway = new FakeGateway();
    const { user } = await ask(gateway);
    await waitFor(() => expect(screen.getByTestId('score-2')).toHaveProperty('disabled', false));
    expect(hint()).toContain('Esc leaves');
    await user.keyboard('half{Escape}');
    expect(document.activeElement).toBe(newest());
    expect(composer().value).toBe('half');
    expect(newest().textContent).not.toContain('stopped by you');
  });

  it('does so too when the screen has not drawn the end yet', async () => {
    const gateway = new FakeGateway();
    let goOn = (): void => {};
    gateway.answer = () => [
      { text: 'Begun', version: 0 },
      { text: ', done', version: 0, after: new Promise((resolve) => (goOn = resolve)) },
    ];
    const { user } = await ask(gateway);
    await waitFor(() => expect(newest().textContent).toContain('Begun'));
    // The end is in the store, and the key is handled before React draws it: in the same task.
    const { key } = useLiveStore.getState().answers[0]!;
    changeLive(key, { phase: 'finished', finishReason: 'stop' });
    composer().dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
    expect(document.activeElement).not.toBe(composer());
    goOn();
    await expectNextDigitScores(gateway, user);
    expect(newest().textContent).not.toContain('stopped by you');
    expect(newest().textContent).toContain('Begun, done');
  });
});

it('sends a score again that came before the gateway had closed the answer', async () => {
  const gateway = new FakeGateway();
  const { user } = await ask(gateway);
  await waitFor(() => expect(screen.getByTestId('score-4')).toHaveProperty('disabled', false));
  gateway.failNext('POST', /set_reward/, 409, 'interaction_not_finished', 'It is running.', 2);
  await user.keyboard('{Escape}4');
  await waitFor(() => expect(within(newest()).getByTestId('rating-mark').dataset.state).toBe('waiting'));
  expect(rewards(gateway)).toHaveLength(3);
});
