// @vitest-environment jsdom
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { useRef } from 'react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { prepareDom, renderScreen } from '../../testing/dom';
import { FakeDesktop } from '../../testing/fake-desktop';
import { FakeGateway } from '../../testing/fake-gateway';
import { interactionOf, sessionOf } from '../../testing/fake-wire';
import { draftKeys, useDraftStore } from './drafts';
import { useLiveStore } from './live-store';
import { RatePage } from './rate-page';
import { openConversation, useRateStore } from './rate-store';
import { useStickToEnd } from './use-stick-to-end';

beforeEach(() => {
  prepareDom();
  localStorage.clear();
  useLiveStore.setState({ answers: [] });
  useRateStore.setState({ taskId: 'chat-new', columns: 1, selected: null, receiptsOpen: false });
  // Last: a window before this one still notes which conversation is open.
  useDraftStore.setState({ loaded: false, texts: {} });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** Rounds of two answers each, one round after the other; `rated` are interaction ids with a score. */
function recorded(rounds: number, columns: number, rated: readonly string[] = []): FakeGateway {
  const gateway = new FakeGateway();
  for (let at = 0; at < rounds * columns; at += 1) {
    const round = Math.floor(at / columns);
    const session = sessionOf(`s-${at}`, 'chat-1', `round-${round}`, at);
    gateway.sessions.push(session);
    gateway.interactions.push({
      ...interactionOf(`i-${at}`, session.session_id, [{ role: 'user', content: `Message ${round}` }], at),
      state: 'finished',
      finish_reason: 'stop',
      output: `Answer ${at}`,
      ...(rated.includes(`i-${at}`) ? { reward: 1, rating_state: 'waiting' as const } : {}),
    });
  }
  return gateway;
}

const outlined = () => screen.queryAllByTestId('answer').filter(({ dataset }) => dataset.selected === 'true');

describe('a conversation that was open when the studio closed', () => {
  it.each([
    ['the first answer of the newest round', 3, 2, [], 'i-4'],
    ['the first without a score of the newest round', 3, 2, ['i-4'], 'i-5'],
    ['the newest answer of a chat', 3, 1, ['i-2'], 'i-2'],
  ] as const)('opens with %s outlined, at its end', async (_name, rounds, columns, rated, expected) => {
    const desktop = new FakeDesktop();
    desktop.drafts[draftKeys.open] = 'chat-1';
    renderScreen(<RatePage />, { desktop, gateway: recorded(rounds, columns, rated) });
    await waitFor(() => expect(outlined().map(({ dataset }) => dataset.interactionId)).toEqual([expected]));
    expect(screen.getAllByTestId('answer')).toHaveLength(rounds * columns);
  });

  it('keeps the outline where it was put, and gives one opened again an outline too', async () => {
    const desktop = new FakeDesktop();
    desktop.drafts[draftKeys.open] = 'chat-1';
    const { user } = renderScreen(<RatePage />, { desktop, gateway: recorded(3, 2) });
    await waitFor(() => expect(outlined()).toHaveLength(1));
    await user.click(screen.getAllByTestId('answer')[0]!);
    expect(outlined().map(({ dataset }) => dataset.interactionId)).toEqual(['i-0']);
    act(() => openConversation('chat-other'));
    act(() => openConversation('chat-1'));
    await waitFor(() => expect(outlined().map(({ dataset }) => dataset.interactionId)).toEqual(['i-4']));
  });
});

function Scroller() {
  const scroller = useRef<HTMLDivElement>(null);
  useStickToEnd(scroller, 'chat-1');
  return (
    <div ref={scroller} data-testid="scroller">
      <div />
    </div>
  );
}

describe('useStickToEnd', () => {
  let grow = (): void => {};

  /** A scroller of 400 points over content of the height that is set. */
  function show() {
    vi.stubGlobal(
      'ResizeObserver',
      class {
        constructor(told: () => void) {
          grow = told;
        }
        observe(): void {}
        disconnect(): void {}
      },
    );
    let height = 1000;
    const setHeight = (to: number): void => {
      height = to;
    };
    vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockImplementation(() => height);
    render(<Scroller />);
    return { element: screen.getByTestId('scroller'), setHeight };
  }
  afterEach(() => void vi.restoreAllMocks());

  it('stays at the end when content grows before the scroll to the last end is told', () => {
    const { element, setHeight } = show();
    setHeight(1500);
    grow();
    expect(element.scrollTop).toBe(1500);
    setHeight(3000);
    fireEvent.scroll(element);
    grow();
    expect(element.scrollTop).toBe(3000);
  });

  it('lets a reader go up, and follows again from the end', () => {
    const { element, setHeight } = show();
    fireEvent.scroll(element);
    element.scrollTop = 200;
    fireEvent.scroll(element);
    setHeight(1500);
    grow();
    expect(element.scrollTop).toBe(200);
    element.scrollTop = 1100;
    fireEvent.scroll(element);
    setHeight(2000);
    grow();
    expect(element.scrollTop).toBe(2000);
  });
});
