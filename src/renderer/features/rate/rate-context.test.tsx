// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { renderScreen } from '../../testing/dom';
import { FakeDesktop } from '../../testing/fake-desktop';
import { FakeGateway } from '../../testing/fake-gateway';
import { statusOf } from '../../testing/fake-wire';
import { draftKeys } from './drafts';
import { useLiveStore } from './live-store';
import { RatePage } from './rate-page';
import { prepareRate } from './testing/rate-window';

// The fake gateway counts 12 tokens of prompt and 2 of answer per turn.
const used = 14;

beforeEach(prepareRate);
afterEach(cleanup);

/** A conversation of one answered message in a model with room for `total` tokens. */
async function converse(total: number) {
  const gateway = new FakeGateway();
  const desktop = new FakeDesktop();
  const status = statusOf();
  gateway.status = { ...status, model: { ...status.model, context_length: total } };
  const view = renderScreen(<RatePage />, { gateway, desktop });
  await screen.findByTestId('send');
  await view.user.type(screen.getByTestId('composer'), 'Hi{Enter}');
  await waitFor(() => expect(screen.getByTestId('answer').dataset.phase).toBe('finished'));
  await waitFor(() => expect(gateway.interactions[0]?.state).toBe('finished'));
  await screen.findByTestId('context-left');
  return { view, gateway, desktop, user: view.user };
}

const composer = () => screen.getByTestId('composer') as HTMLTextAreaElement;
const sent = ({ requests }: FakeGateway) => requests.filter(({ path }) => path.endsWith('/chat/completions')).length;

describe('RatePage near the end of the context', () => {
  it.each([
    ['is silent while a third is left', 21, null, true],
    ['says what is left under a third', 20, '6 of 20 tokens of context left', true],
    ['does not send into a full one', used + 1, 'The context of 15 tokens is full', false],
  ])('%s', async (_name, total, words, sends) => {
    const { user, gateway } = await converse(total);
    const hint = screen.queryByTestId('context-hint');
    if (words === null) expect(hint).toBeNull();
    else expect(hint?.textContent).toContain(words);
    await user.type(composer(), 'More{Enter}');
    if (sends) await waitFor(() => expect(sent(gateway)).toBe(2));
    else {
      expect(screen.getByTestId('send')).toHaveProperty('disabled', true);
      expect(composer().value).toBe('More');
      expect(sent(gateway)).toBe(1);
    }
  });

  it('keeps a message that was counted and does not fit, and takes it into a new conversation', async () => {
    const { user, gateway, desktop } = await converse(20);
    gateway.countedTokens = 20;
    await user.type(composer(), 'A long one{Enter}');
    await waitFor(() => expect(screen.getByTestId('context-hint').textContent).toContain('it takes 20 tokens'));
    expect(gateway.requests.at(-1)?.body).toMatchObject({
      input: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'You said: Hi (1)' },
        { role: 'user', content: 'A long one' },
      ],
    });
    expect(sent(gateway)).toBe(1);
    await user.click(screen.getByTestId('context-new'));
    await screen.findByTestId('empty-chat');
    expect(composer().value).toBe('A long one');
    expect(desktop.drafts[draftKeys.composer('chat-1')]).toBe('');
    await user.type(composer(), '{Enter}');
    await waitFor(() => expect(sent(gateway)).toBe(2));
  });

  it('asks again when the message is changed', async () => {
    const { user, gateway } = await converse(20);
    gateway.countedTokens = 20;
    await user.type(composer(), 'Long{Enter}');
    await waitFor(() => expect(screen.getByTestId('context-hint').dataset.full).toBe('true'));
    gateway.countedTokens = 19;
    await user.type(composer(), '{Backspace}{Enter}');
    await waitFor(() => expect(sent(gateway)).toBe(2));
  });

  it('offers a new conversation at the error and puts the message there', async () => {
    const { user, gateway, desktop } = await converse(200);
    gateway.failNext('POST', /chat/, 400, 'context_length_exceeded', 'It takes 201.');
    await user.type(composer(), 'Too long after all{Enter}');
    const problem = await screen.findByTestId('answer-problem');
    await user.click(within(problem).getByTestId('problem-new'));
    await screen.findByTestId('empty-chat');
    expect(composer().value).toBe('Too long after all');
    expect(desktop.drafts[draftKeys.pending('chat-1')]).toBe('');
    expect(useLiveStore.getState().answers.map(({ phase }) => phase)).toEqual(['finished']);
  });

  it.each([
    ['the context, where prompt and answer fill it', used, 'cut: the context is full'],
    ['the limit, where they do not', used + 1, 'cut at the length limit'],
  ])('says what cut an answer: %s', async (_name, total, words) => {
    const { gateway } = await converse(total);
    gateway.interactions[0] = { ...gateway.interactions[0]!, finish_reason: 'length' };
    gateway.publish({ kind: 'interaction-end', session_id: gateway.sessions[0]!.session_id });
    await waitFor(() => expect(screen.getByTestId('answer').textContent).toContain(words));
  });
});
