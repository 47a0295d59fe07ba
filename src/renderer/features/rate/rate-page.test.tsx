// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useActionKeys } from '../../components/actions/use-actions';
import { prepareDom, renderScreen } from '../../testing/dom';
import { FakeDesktop } from '../../testing/fake-desktop';
import { FakeGateway } from '../../testing/fake-gateway';
import { draftKeys, useDraftStore } from './drafts';
import { useLiveStore } from './live-store';
import { RatePage } from './rate-page';
import { useRateStore } from './rate-store';
import { useRatingStore } from './rating-store';

const fresh = { rate: useRateStore.getState(), ratings: useRatingStore.getState() };

/** The screen with the window's key listener, which the shell owns. */
function Window() {
  useActionKeys();
  return <RatePage />;
}

/** A reload: everything in memory is gone, what is on disk and at the gateway stays. */
function forgetWindow(): void {
  cleanup();
  useLiveStore.setState({ answers: [] });
  useDraftStore.setState({ loaded: false, texts: {} });
  useRatingStore.setState(fresh.ratings, true);
}

beforeEach(() => {
  prepareDom();
  localStorage.clear();
  useRateStore.setState({ ...fresh.rate, taskId: 'chat-1', columns: 1, selected: null, receiptsOpen: false });
});
afterEach(() => {
  forgetWindow();
  vi.unstubAllGlobals();
});

type Screen = ReturnType<typeof renderScreen>;

async function ask({ user }: Screen, text: string): Promise<HTMLElement> {
  const before = screen.queryAllByTestId('answer').length;
  await screen.findByTestId('send');
  await user.type(screen.getByTestId('composer'), `${text}{Enter}`);
  await waitFor(() => expect(screen.getAllByTestId('answer').length).toBeGreaterThan(before));
  return screen.getAllByTestId('answer').at(-1)!;
}

async function askAndWait(view: Screen, text: string): Promise<HTMLElement> {
  await ask(view, text);
  await waitFor(() => expect(screen.getAllByTestId('answer').at(-1)).toHaveProperty('dataset.phase', 'finished'));
  await waitFor(() => expect(screen.getByTestId('score-1')).toHaveProperty('disabled', false));
  return screen.getAllByTestId('answer').at(-1)!;
}

const mark = (answer: HTMLElement) => within(answer).queryByTestId('rating-mark')?.dataset;
const rewards = (gateway: FakeGateway) =>
  gateway.requests.filter(({ path }) => path === '/rl/set_reward').map(({ body }) => body);

describe('RatePage', () => {
  it('shows the answer with the version that sampled it, in a session of a person', async () => {
    const gateway = new FakeGateway();
    gateway.answer = () => [
      { text: 'Hello ', version: 11 },
      { text: 'there', version: 12 },
    ];
    const view = renderScreen(<Window />, { gateway });
    const answer = await askAndWait(view, 'Hi');
    expect(within(answer).getByTestId('answer-text').textContent).toBe('Hello there');
    const versions = within(answer).getAllByTestId('answer-version');
    expect(versions.map(({ dataset }) => dataset.version)).toEqual(['11', '12']);
    expect(gateway.requests.find(({ path }) => path === '/rl/start_session')?.body).toMatchObject({
      task_id: 'chat-1',
      source: 'human',
      rater_id: 'rater',
      turn_discount: 0,
    });
  });

  it('scores the outlined answer by its id with keys 1 to 5, and ends its session with the first', async () => {
    const view = renderScreen(<Window />);
    const answer = await askAndWait(view, 'Hi');
    const interaction_id = answer.dataset.interactionId;
    await view.user.keyboard('{Escape}');
    for (const key of ['1', '2', '3', '4', '5']) {
      await view.user.keyboard(key);
      await waitFor(() => expect(mark(answer)).toMatchObject({ state: 'waiting', stars: key }));
      await screen.findByTestId('session-ended');
    }
    expect(rewards(view.gateway)).toEqual(
      [-1, -0.5, 0, 0.5, 1].map((reward) => ({ interaction_id, reward, rater_id: 'rater' })),
    );
    expect(view.gateway.sessions.map(({ state }) => state)).toEqual(['ended']);
  });

  it('types digits while the composer has the focus, also when it is empty', async () => {
    const view = renderScreen(<Window />);
    await askAndWait(view, 'Hi');
    await view.user.keyboard('5');
    expect(screen.getByTestId('composer')).toHaveProperty('value', '5');
    expect(rewards(view.gateway)).toEqual([]);
  });

  it('keeps a rating changeable after its session ended, and lets it be withdrawn until a batch holds it', async () => {
    const view = renderScreen(<Window />);
    const answer = await askAndWait(view, 'Hi');
    await view.user.keyboard('{Escape}5');
    await screen.findByTestId('session-ended');
    await view.user.keyboard('2');
    await waitFor(() => expect(mark(answer)?.stars).toBe('2'));
    await view.user.keyboard('0');
    await waitFor(() => expect(mark(answer)).toBeUndefined());
    await view.user.keyboard('4');
    await waitFor(() => expect(mark(answer)?.stars).toBe('4'));
    view.gateway.moveRatings({ rating_state: 'in-batch', batch_id: 7, version: null, reason: null });
    view.gateway.publish({ kind: 'batch-form', batch_id: 7 });
    await waitFor(() => expect(mark(answer)?.state).toBe('in-batch'));
    await view.user.keyboard('1{Backspace}');
    expect(rewards(view.gateway)).toHaveLength(3);
    expect(screen.getByTestId('withdraw')).toHaveProperty('disabled', true);
  });

  it('shows no tick before the gateway said yes, and a failed rating stays with a way to send it again', async () => {
    const view = renderScreen(<Window />);
    const answer = await askAndWait(view, 'Hi');
    view.gateway.failNext('POST', /set_reward/, 507, 'disk_full', 'The disk is full.');
    await view.user.keyboard('{Escape}4');
    const problem = await within(answer).findByTestId('rating-problem');
    expect(problem.textContent).toContain('The disk is full.');
    expect(mark(answer)?.state).toBe('failed');
    expect(screen.getByTestId('receipts-unsent').textContent).toContain('1 not saved');
    await view.user.click(within(answer).getByTestId('rating-retry'));
    await waitFor(() => expect(mark(answer)?.state).toBe('waiting'));
    expect(screen.queryByTestId('receipts-unsent')).toBeNull();
  });

  it('finds an unconfirmed rating and a typed message again after the window was lost', async () => {
    const desktop = new FakeDesktop();
    const gateway = new FakeGateway();
    const first = renderScreen(<Window />, { desktop, gateway });
    await askAndWait(first, 'Hi');
    gateway.failNext('POST', /set_reward/, 500, 'internal_error', 'Broken.');
    await first.user.keyboard('{Escape}4');
    await screen.findByTestId('rating-problem');
    await first.user.type(screen.getByTestId('composer'), 'half a sent');
    await waitFor(() => expect(desktop.drafts[draftKeys.composer('chat-1')]).toBe('half a sent'));
    forgetWindow();

    const second = renderScreen(<Window />, { desktop, gateway });
    const answer = await screen.findByTestId('answer');
    await waitFor(() => expect(screen.getByTestId('composer')).toHaveProperty('value', 'half a sent'));
    await second.user.click(await within(answer).findByTestId('rating-retry'));
    await waitFor(() => expect(mark(answer)?.stars).toBe('4'));
    expect(gateway.interactions).toHaveLength(1);
    expect(desktop.drafts[draftKeys.rating(gateway.interactions[0]?.interaction_id ?? '')]).toBe('');
  });

  it('goes on in an open session with the whole conversation, and starts empty after it ended', async () => {
    const view = renderScreen(<Window />);
    await askAndWait(view, 'One');
    await askAndWait(view, 'Two');
    await view.user.keyboard('{Control>}{Enter}{/Control}');
    await screen.findByTestId('session-ended');
    await askAndWait(view, 'Three');
    const chats = view.gateway.requests.filter(({ path }) => path.endsWith('/chat/completions'));
    const said = chats.map(({ body }) => (body as { messages: { content: string }[] }).messages.map((m) => m.content));
    expect(said).toEqual([['One'], ['One', 'You said: One (1)', 'Two'], ['Three']]);
    expect(view.gateway.sessions).toHaveLength(2);
  });

  it('stops with Escape and keeps what was said', async () => {
    const view = renderScreen(<Window />);
    view.gateway.answer = () => [
      { text: 'Begun', version: 0 },
      { text: ' and never told', version: 0, after: new Promise(() => {}) },
    ];
    const answer = await ask(view, 'Hi');
    await waitFor(() => expect(within(answer).getByTestId('answer-text').textContent).toBe('Begun'));
    await view.user.keyboard('{Escape}');
    await waitFor(() => expect(answer.dataset.phase).toBe('finished'));
    expect(answer.textContent).toContain('stopped by you');
    expect(view.gateway.interactions[0]).toMatchObject({ finish_reason: 'abort', output: 'Begun' });
  });

  it('keeps a message waiting while the engine is away and answers it when the engine is back', async () => {
    const view = renderScreen(<Window />);
    view.gateway.failNext('POST', /chat/, 503, 'engine_unavailable', 'The engine is not there.');
    const answer = await ask(view, 'Hi');
    expect((await within(answer).findByTestId('answer-waiting')).textContent).toContain('The engine is restarting');
    await waitFor(() => expect(answer.dataset.phase).toBe('finished'));
    expect(view.gateway.sessions).toHaveLength(1);
  });

  it.each([
    ['context_length_exceeded', 400, 'no longer fits'],
    ['bad_evidence', 502, 'Not answered'],
  ])('puts %s beside the message, with a way on that works', async (code, status, words) => {
    const view = renderScreen(<Window />);
    view.gateway.failNext('POST', /chat/, status, code, 'The gateway’s sentence.');
    const answer = await ask(view, 'Hi');
    const problem = await within(answer).findByTestId('answer-problem');
    expect(problem.textContent).toContain(words);
    expect(problem.textContent).toContain('The gateway’s sentence.');
    await view.user.click(within(answer).getByTestId('retry-fresh'));
    await waitFor(() => expect(screen.getByTestId('answer').dataset.phase).toBe('finished'));
  });

  it('judges side by side: one group, letters select, versions hidden until judged, all end together', async () => {
    const view = renderScreen(<Window />);
    await view.user.click(await screen.findByTestId('mode-side-by-side'));
    await ask(view, 'Hi');
    await waitFor(() => {
      const phases = screen.getAllByTestId('answer').map(({ dataset }) => dataset.phase);
      expect(phases).toEqual(['finished', 'finished']);
    });
    expect(new Set(view.gateway.sessions.map(({ group_id }) => group_id)).size).toBe(1);
    expect(screen.queryByTestId('answer-version')).toBeNull();
    await view.user.keyboard('{Escape}b4');
    await waitFor(() => expect(mark(screen.getAllByTestId('answer')[1]!)?.stars).toBe('4'));
    expect(view.gateway.sessions.map(({ state }) => state)).toEqual(['open', 'open']);
    await view.user.keyboard('a2');
    await waitFor(() => expect(view.gateway.sessions.map(({ state }) => state)).toEqual(['ended', 'ended']));
    expect(await screen.findAllByTestId('answer-version')).toHaveLength(2);
    expect(mark(screen.getAllByTestId('answer')[0]!)?.stars).toBe('2');
  });

  it('shows what became of every rating, in the line and in the list', async () => {
    const view = renderScreen(<Window />);
    await askAndWait(view, 'One');
    await view.user.keyboard('{Escape}5');
    await screen.findByTestId('receipts-waiting');
    view.gateway.moveRatings({ rating_state: 'trained', batch_id: 1, version: 1, reason: null });
    await askAndWait(view, 'Two');
    await view.user.keyboard('{Escape}1');
    await waitFor(() => expect(screen.getByTestId('receipts').textContent).toContain('1 trained in v1'));
    expect(screen.getByTestId('receipts').textContent).toContain('1 waiting');
    await view.user.click(screen.getByTestId('receipts'));
    const rows = await screen.findAllByTestId('receipt-row');
    expect(rows.map(({ dataset }) => dataset.state)).toEqual(['waiting', 'trained']);
    expect(rows[1]?.textContent).toContain('trained in v1');
    expect(within(rows[1]!).queryByTestId('receipt-withdraw')).toBeNull();
    await view.user.click(within(rows[0]!).getByTestId('receipt-withdraw'));
    await waitFor(() => expect(screen.getAllByTestId('receipt-row')).toHaveLength(1));
  });

  it('moves the outline with j and k, and digits go to the outlined answer alone', async () => {
    const view = renderScreen(<Window />);
    await askAndWait(view, 'One');
    await askAndWait(view, 'Two');
    await view.user.keyboard('{Escape}kkj k2');
    await waitFor(() => expect(mark(screen.getAllByTestId('answer')[0]!)?.stars).toBe('2'));
    expect(mark(screen.getAllByTestId('answer')[1]!)).toBeUndefined();
  });

  it('shows thoughts folded and calls with name and arguments, live and after a reload', async () => {
    const gateway = new FakeGateway();
    const call = (piece: object) => ({ tool_calls: [{ index: 0, ...piece }] });
    gateway.answer = () => [
      { text: '', version: 0, delta: { reasoning_content: 'It wants ' } },
      { text: '', version: 0, delta: { reasoning_content: 'a sum.' } },
      { text: '', version: 0, delta: call({ id: 'c1', type: 'function', function: { name: 'add', arguments: '' } }) },
      { text: '', version: 0, delta: call({ function: { arguments: '{"a":2,' } }) },
      { text: '', version: 0, delta: call({ function: { arguments: '"b":3}' } }) },
    ];
    const view = renderScreen(<Window />, { gateway });
    const answer = await askAndWait(view, 'What is 2 + 3?');
    const shown = () => {
      const card = screen.getAllByTestId('answer').at(-1)!;
      const thoughts = within(card).getByTestId('answer-reasoning');
      expect(thoughts.hasAttribute('open')).toBe(false);
      expect(thoughts.textContent).toBe('ReasoningIt wants a sum.');
      expect(within(card).getByTestId('answer-call').dataset.tool).toBe('add');
      expect(within(card).getByTestId('answer-call').textContent).toBe('add{\n  "a": 2,\n  "b": 3\n}');
    };
    shown();
    expect(answer.textContent).not.toContain('undefined');
    forgetWindow();
    gateway.interactions[0] = {
      ...gateway.interactions[0]!,
      output: '',
      output_message: {
        role: 'assistant',
        content: '',
        reasoning_content: 'It wants a sum.',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":2,"b":3}' } }],
      },
    };
    renderScreen(<Window />, { gateway });
    await screen.findByTestId('answer-call');
    shown();
  });

  it('says why an answer or its rating trains nothing, and counts what waits in open sessions', async () => {
    const gateway = new FakeGateway();
    const view = renderScreen(<Window />, { gateway });
    await askAndWait(view, 'one');
    await view.user.keyboard('{Escape}4');
    await waitFor(() => expect(screen.getByTestId('receipts-waiting').textContent).toBe('1 waiting'));
    gateway.sessions[0] = { ...gateway.sessions[0]!, state: 'open' };
    gateway.interactions[0] = { ...gateway.interactions[0]!, untrainable: 'a log-probability is not a number' };
    gateway.publish({ kind: 'interaction-end', session_id: gateway.sessions[0].session_id });
    await waitFor(() =>
      expect(screen.getByTestId('receipts-waiting').textContent).toBe('1 waiting, all in open sessions'),
    );
    expect((await screen.findByTestId('answer-unsound')).textContent).toBe(
      'This answer is not trained on: a log-probability is not a number',
    );
    gateway.moveRatings({ rating_state: 'dropped', batch_id: 1, version: null, reason: 'session aborted' });
    gateway.sessions[0] = { ...gateway.sessions[0], state: 'ended', end_reason: 'abort' };
    gateway.publish({ kind: 'session-end', session_id: gateway.sessions[0].session_id });
    gateway.publish({ kind: 'batch-ack', batch_id: 1 });
    await waitFor(() => expect(screen.getByTestId('judge-hint').textContent).toContain('session aborted'));
    expect(screen.queryByTestId('answer-unsound')).toBeNull();
    expect(screen.getByTestId('session-fate').textContent).toBe('session aborted, nothing more of it is trained');
    expect(screen.getByTestId('receipts-dropped').textContent).toBe('1 dropped (session aborted)');
  });

  describe('receipts', () => {
    const isOpen = () => screen.getByTestId('receipts').getAttribute('aria-expanded') === 'true';
    const focused = () => document.activeElement;

    it.each([
      ['with answers', true],
      ['without any', false],
    ])('open by key with the focus in them, and Esc closes them and gives it back, %s', async (_name, hasAnswers) => {
      const view = renderScreen(<Window />);
      await screen.findByTestId('send');
      if (hasAnswers) await askAndWait(view, 'Hi');
      await view.user.keyboard(hasAnswers ? '{Escape}4' : '{Escape}');
      if (hasAnswers) await screen.findByTestId('receipts-waiting');
      const before = focused();
      await view.user.keyboard('l');
      await waitFor(() => expect(focused()?.id).toBe('receipts-list'));
      await view.user.keyboard('{ArrowDown}');
      expect(focused()?.id).toBe('receipts-list');
      await view.user.keyboard('{Escape}');
      await waitFor(() => expect(isOpen()).toBe(false));
      expect(focused()).toBe(hasAnswers ? before : screen.getByTestId('receipts'));
    });

    it('opened by a press are closed by Esc on the bar, and where they do not hold the focus after the text', async () => {
      const view = renderScreen(<Window />);
      await screen.findByTestId('send');
      await view.user.click(screen.getByTestId('receipts'));
      expect(isOpen()).toBe(true);
      await view.user.keyboard('{Escape}');
      await waitFor(() => expect(isOpen()).toBe(false));
      expect(focused()).toBe(screen.getByTestId('receipts'));
      await view.user.click(screen.getByTestId('receipts'));
      await view.user.click(screen.getByTestId('composer'));
      await view.user.keyboard('{Escape}');
      expect(isOpen()).toBe(true);
      expect(focused()).not.toBe(screen.getByTestId('composer'));
      await view.user.keyboard('{Escape}');
      await waitFor(() => expect(isOpen()).toBe(false));
    });

    it('close on Esc without stopping an answer that runs', async () => {
      const gateway = new FakeGateway();
      gateway.answer = () => [{ text: 'never', version: 0, after: new Promise(() => {}) }];
      const view = renderScreen(<Window />, { gateway });
      await ask(view, 'Hi');
      await screen.findByTestId('stop');
      await view.user.click(screen.getByTestId('receipts'));
      await view.user.keyboard('{Escape}');
      await waitFor(() => expect(isOpen()).toBe(false));
      expect(screen.getByTestId('stop')).toBeTruthy();
      await view.user.keyboard('{Escape}');
      await waitFor(() => expect(screen.queryByTestId('stop')).toBeNull());
    });
  });
});
