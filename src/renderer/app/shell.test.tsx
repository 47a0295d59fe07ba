// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openScreen } from '../components/navigation/navigation-store';
import { prepareDom, renderScreen } from '../testing/dom';
import { FakeDesktop } from '../testing/fake-desktop';
import { FakeGateway } from '../testing/fake-gateway';
import { Shell } from './shell';
import { useShellStore } from './shell-store';

beforeEach(() => {
  prepareDom();
  openScreen('rate');
  useShellStore.setState({ railFolded: false, firstRunDismissed: false, dialog: null, hiddenTrouble: [] });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const failedEngine = {
  name: 'engine',
  state: 'failed',
  detail: 'It exited with code 1 three times.',
  pid: null,
  restarts: 3,
  since: 1,
} as const;

describe('Shell', () => {
  it('shows the four facts and follows the gateway’s events', async () => {
    const { gateway } = renderScreen(<Shell />);
    await waitFor(() => expect(screen.getByTestId('status-served').textContent).toBe('serving v0 · embedded'));
    expect(screen.getByTestId('status-batch').textContent).toBe('batch 0/16');
    expect(screen.getByTestId('status-trainer').textContent).toBe('trainer idle');
    expect(screen.getByTestId('status-trouble').textContent).toBe('all well');
    await waitFor(() => expect(gateway.eventConnections).toBe(1));
    gateway.status = { ...gateway.status, served_version: 1 };
    gateway.publish({ kind: 'version-serve', version: 1 });
    await waitFor(() => expect(screen.getByTestId('status-served').textContent).toBe('serving v1 · embedded'));
  });

  it('marks Settings in the rail while something there is not saved', async () => {
    const { user } = renderScreen(<Shell />);
    const rail = await screen.findByTestId('rail-settings');
    expect(rail.getAttribute('aria-label')).toBe('Settings');
    await user.click(rail);
    const field = await screen.findByTestId('settings-temperature');
    await user.clear(field);
    await user.type(field, '0.5');
    await user.click(screen.getByTestId('rail-rate'));
    expect(screen.getByRole('button', { name: 'Settings: 1 change not saved' })).toBe(rail);
    await user.click(rail);
    await user.click(await screen.findByTestId('settings-discard'));
    expect(rail.getAttribute('aria-label')).toBe('Settings');
  });

  it('begins another screen at its top', async () => {
    const { user } = renderScreen(<Shell />);
    openScreen('runs');
    (await screen.findByTestId('screen-runs')).scrollTop = 700;
    await user.click(screen.getByTestId('rail-groups'));
    expect((await screen.findByTestId('screen-groups')).scrollTop).toBe(0);
  });

  it('reads everything again when the event stream comes back', async () => {
    const { gateway } = renderScreen(<Shell />);
    await waitFor(() => expect(gateway.eventConnections).toBe(1));
    await screen.findByText('serving v0 · embedded');
    gateway.status = { ...gateway.status, served_version: 7 };
    gateway.cutEvents();
    await waitFor(() => expect(gateway.eventConnections).toBe(2));
    await screen.findByText('serving v7 · embedded');
  });

  it('says that the gateway starts, and recovers by itself when it is there', async () => {
    const desktop = new FakeDesktop();
    desktop.url = null;
    renderScreen(<Shell />, { desktop });
    await screen.findByText('gateway starting');
    expect(screen.queryByTestId('trouble')).toBeNull();
    desktop.url = 'http://127.0.0.1:4100';
    await screen.findByText('serving v0 · embedded');
  });

  it('shows a failed engine with its cause and restarts it by its button', async () => {
    const { desktop, user } = renderScreen(<Shell />);
    await screen.findByText('serving v0 · embedded');
    desktop.emit('process-change', failedEngine);
    const line = await screen.findByTestId('trouble');
    expect(line.textContent).toContain('It exited with code 1 three times.');
    expect(screen.getByTestId('status-served').textContent).toBe('engine failed');
    await user.click(within(line).getByTestId('trouble-action'));
    expect(desktop.calls).toContainEqual({ channel: 'process-restart', request: { name: 'engine' } });
    desktop.emit('process-change', { ...failedEngine, state: 'ready' });
    await waitFor(() => expect(screen.queryByTestId('trouble')).toBeNull());
  });

  it('takes note of a recovered database by its button, and says so when that failed', async () => {
    const gateway = new FakeGateway();
    const recovered = { kind: 'database-recovered', message: 'The database was damaged.', advice: 'Kept as x.' };
    gateway.status = { ...gateway.status, trouble: [recovered] };
    gateway.failNext('DELETE', /^\/rl\/recovery$/, 500, 'internal_error', 'The disk is full.');
    const { user } = renderScreen(<Shell />, { gateway });
    const line = await screen.findByTestId('trouble');
    expect(within(line).getByTestId('trouble-action').textContent).toBe('Noted');
    await user.click(within(line).getByTestId('trouble-action'));
    expect((await screen.findByTestId('trouble-action-failed')).textContent).toContain('The disk is full.');
    await user.click(within(line).getByTestId('trouble-action'));
    await waitFor(() => expect(screen.queryByTestId('trouble')).toBeNull());
    expect(screen.getByTestId('status-trouble').textContent).toBe('all well');
  });

  it('shows the worst lines of many, and the rest on demand', async () => {
    const gateway = new FakeGateway();
    const trouble = [3, 4, 5].map((id) => ({ kind: `batch-set-aside-${id}`, message: `batch ${id}`, advice: '' }));
    gateway.status = { ...gateway.status, trouble };
    const { user } = renderScreen(<Shell />, { gateway });
    await user.click(await screen.findByText('1 more problem'));
    expect(screen.getAllByTestId('trouble').map(({ dataset }) => dataset.kind)).toEqual(
      trouble.map(({ kind }) => kind),
    );
    await user.click(screen.getByText('Show fewer'));
    expect(screen.getAllByTestId('trouble')).toHaveLength(2);
    await user.click(within(screen.getAllByTestId('trouble')[0]!).getByTestId('trouble-action'));
    await screen.findByTestId('screen-runs');
  });

  it('says that the gateway is lost while it does not answer', async () => {
    const gateway = new FakeGateway();
    renderScreen(<Shell />, { gateway });
    await screen.findByText('serving v0 · embedded');
    gateway.unreachable = true;
    gateway.cutEvents();
    expect((await screen.findByTestId('trouble')).dataset.kind).toBe('gateway-lost');
    gateway.unreachable = false;
    await waitFor(() => expect(screen.queryByTestId('trouble')).toBeNull());
  });

  it('jumps between screens by key, also out of a text field', async () => {
    const { user } = renderScreen(<Shell />);
    await user.click(await screen.findByTestId('composer'));
    await user.keyboard('{Control>}5{/Control}');
    await screen.findByTestId('screen-settings');
    await user.keyboard('{Control>}1{/Control}');
    await screen.findByTestId('screen-rate');
  });

  it('runs a command found by words in the palette, and opens on one that changes nothing', async () => {
    const { user, desktop } = renderScreen(<Shell />);
    await screen.findByText('serving v0 · embedded');
    await user.keyboard('{Control>}k{/Control}');
    await user.type(await screen.findByTestId('palette'), 'theme{Enter}');
    await waitFor(() => expect(desktop.settings.theme).toBe('dark'));
    expect(screen.queryByTestId('palette')).toBeNull();
    await user.keyboard('{Control>}k{/Control}');
    const chosen = (await screen.findAllByRole('option')).find((option) => option.ariaSelected === 'true');
    expect(chosen?.id).toBe('palette-write');
  });

  it('is ready to write when it opens and when a person comes back to the chat', async () => {
    const { user } = renderScreen(<Shell />);
    expect(document.activeElement).toBe(screen.getByTestId('composer'));
    await user.click(screen.getByTestId('rail-groups'));
    await user.click(screen.getByTestId('rail-rate'));
    expect(document.activeElement).toBe(screen.getByTestId('composer'));
    await user.keyboard('{Control>}3{/Control}{Control>}1{/Control}');
    expect(document.activeElement).toBe(screen.getByTestId('composer'));
    await user.click(screen.getByTestId('rail-rate'));
    expect(document.activeElement).toBe(screen.getByTestId('composer'));
  });

  it('jumps from an open palette to a screen that is ready at once', async () => {
    openScreen('groups');
    const { user } = renderScreen(<Shell />);
    await user.keyboard('{Control>}k{/Control}');
    const palette = await screen.findByTestId('palette');
    await waitFor(() => expect(document.activeElement).toBe(palette));
    await user.keyboard('{Control>}1{/Control}');
    await screen.findByTestId('screen-rate');
    await waitFor(() => expect(screen.queryByTestId('palette')).toBeNull());
    expect(document.activeElement).toBe(screen.getByTestId('composer'));
  });

  it.each([
    ['an action that moves it', 'write', 'composer'],
    ['an action that leads to the chat', 'rate', 'composer'],
    ['an action that does neither', 'language', 'rail-rate'],
  ])('gives the focus back from the palette, or to %s', async (_name, words, expected) => {
    const { user } = renderScreen(<Shell />);
    if (words === 'rate') await user.click(screen.getByTestId('rail-groups'));
    screen.getByTestId('rail-rate').focus();
    await user.keyboard('{Control>}k{/Control}');
    await user.type(await screen.findByTestId('palette'), `${words}{Enter}`);
    await waitFor(() => expect(screen.queryByTestId('palette')).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId(expected)));
  });

  it.each([
    ['the palette', '{Control>}k{/Control}', 'palette', '{Escape}'],
    ['the palette', '{Control>}k{/Control}', 'palette', '{Control>}k{/Control}'],
    ['the keys', '?', 'keys', '{Escape}'],
    ['the keys', '?', 'keys', '?'],
  ])('closes %s, opened with %s, with %4$s and gives the focus back', async (_name, open, testId, close) => {
    const { user } = renderScreen(<Shell />);
    await screen.findByText('serving v0 · embedded');
    const place = screen.getByTestId('rail-rate');
    place.focus();
    await user.keyboard(open);
    const layer = await screen.findByTestId(testId);
    await waitFor(() => expect(document.activeElement?.closest('[role="dialog"]')?.contains(layer)).toBe(true));
    for (let k = 0; k < 4; k += 1) await user.tab();
    expect(document.activeElement?.closest('[role="dialog"]')?.contains(layer)).toBe(true);
    await user.keyboard(close);
    await waitFor(() => expect(screen.queryByTestId(testId)).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(place));
  });

  it('keeps a key that closes a dialog from the screen below, and keys with Ctrl too', async () => {
    const gateway = new FakeGateway();
    const { user } = renderScreen(<Shell />, { gateway });
    await screen.findByText('serving v0 · embedded');
    gateway.answer = () => [{ text: 'never', version: 0, after: new Promise(() => {}) }];
    await user.type(await screen.findByTestId('composer'), 'Hi{Enter}');
    await screen.findByTestId('stop');
    await user.keyboard('{Control>}k{/Control}');
    await screen.findByTestId('palette');
    await user.keyboard('{Control>}{Enter}{/Control}{Escape}');
    await waitFor(() => expect(screen.queryByTestId('palette')).toBeNull());
    expect(screen.getByTestId('stop')).toBeTruthy();
    expect(gateway.requests.filter(({ path }) => path === '/rl/end_session')).toEqual([]);
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByTestId('stop')).toBeNull());
  });

  it('lists the keys of the screen on ?', async () => {
    const { user } = renderScreen(<Shell />);
    await screen.findByText('serving v0 · embedded');
    await user.keyboard('{Escape}?');
    expect((await screen.findByTestId('keys')).textContent).toContain('Score 4: good');
  });

  it('speaks Chinese when the settings say so', async () => {
    const desktop = new FakeDesktop();
    desktop.settings = { ...desktop.settings, language: 'zh' };
    renderScreen(<Shell />, { desktop });
    await waitFor(() => expect(screen.getByTestId('rail-rate').textContent).toBe('评审'));
    expect(document.documentElement.lang).toBe('zh-CN');
  });

  it('says how to train a model of one’s own, until a version was trained', async () => {
    const { user, gateway } = renderScreen(<Shell />);
    await user.click(await screen.findByTestId('first-run-train'));
    const dialog = await screen.findByTestId('own-model');
    expect(within(dialog).getByTestId('own-model-command').textContent).toBe(
      'npm run serve -- --model DIR --data-dir DIR',
    );
    expect(dialog.textContent).toContain('"model_type": "llama"');
    expect(dialog.textContent).toContain('This window cannot choose another model.');
    gateway.status = { ...gateway.status, served_version: 1, trained_version: 1 };
    gateway.publish({ kind: 'version-serve', version: 1 });
    await waitFor(() => expect(screen.queryByTestId('first-run')).toBeNull());
  });

  it('remembers that the first-run line was dismissed', async () => {
    const { user } = renderScreen(<Shell />);
    await user.click(await screen.findByTestId('first-run-dismiss'));
    expect(screen.queryByTestId('first-run')).toBeNull();
    expect(JSON.parse(localStorage.getItem('plaudit.shell') ?? '{}')).toMatchObject({
      state: { firstRunDismissed: true },
    });
  });
});
