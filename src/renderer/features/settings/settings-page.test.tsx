// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useActionKeys } from '../../components/actions/use-actions';
import { prepareDom, renderScreen } from '../../testing/dom';
import { FakeDesktop } from '../../testing/fake-desktop';
import { SettingsPage } from './settings-page';
import { useSettingsStore } from './store';

const fresh = useSettingsStore.getState();

function Screen() {
  useActionKeys();
  return <SettingsPage />;
}

beforeEach(() => {
  prepareDom();
  useSettingsStore.setState(fresh, true);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const field = (name: string) => screen.getByTestId<HTMLInputElement>(`settings-${name}`);
const writes = (desktop: FakeDesktop) =>
  desktop.calls.filter(({ channel }) => channel === 'settings-write').map(({ request }) => request);

/** A desktop that answers writes with a refusal or with the need of a restart. */
class AnsweringDesktop extends FakeDesktop {
  constructor(private readonly answer: 'restart' | 'refuse') {
    super();
  }
  override async invoke(channel: string, request?: unknown): Promise<unknown> {
    if (channel === 'settings-write' && this.answer === 'refuse') throw new Error('The disk is full.');
    const reply = await super.invoke(channel, request);
    return channel === 'settings-write' ? { ...(reply as object), restartNeeded: true } : reply;
  }
}

async function type(user: ReturnType<typeof renderScreen>['user'], name: string, text: string): Promise<void> {
  await user.clear(field(name));
  await user.type(field(name), text);
}

describe('SettingsPage', () => {
  it('saves only what was changed, all at once', async () => {
    const { user, desktop } = renderScreen(<Screen />);
    await screen.findByTestId('settings-page');
    await type(user, 'batchSize', '8');
    await type(user, 'learningRate', '3e-4');
    expect(writes(desktop)).toEqual([]);
    await user.click(screen.getByTestId('settings-save'));
    await screen.findByTestId('settings-saved');
    expect(writes(desktop)).toEqual([{ batchSize: 8, learningRate: 3e-4 }]);
    expect(field('batchSize').value).toBe('8');
  });

  it('says beside the field what it must be, and saves nothing until it is', async () => {
    const { user, desktop } = renderScreen(<Screen />);
    await screen.findByTestId('settings-page');
    await type(user, 'temperature', '3');
    await type(user, 'trial', '../x');
    expect(screen.getByText('Must be 0.05 to 2.')).toBeTruthy();
    expect(field('trial').getAttribute('aria-invalid')).toBe('true');
    expect(screen.getByTestId<HTMLButtonElement>('settings-save').disabled).toBe(true);
    await user.keyboard('{Control>}s{/Control}');
    expect(writes(desktop)).toEqual([]);
    await user.click(screen.getByTestId('settings-discard'));
    expect(field('temperature').value).toBe('1');
  });

  it('saves with Ctrl+S from within a field', async () => {
    const { user, desktop } = renderScreen(<Screen />);
    await screen.findByTestId('settings-page');
    await type(user, 'raterId', 'rater 2');
    await user.keyboard('{Control>}s{/Control}');
    await screen.findByTestId('settings-saved');
    expect(writes(desktop)).toEqual([{ raterId: 'rater 2' }]);
  });

  it('keeps what was typed while another screen is shown', async () => {
    const first = renderScreen(<Screen />);
    await screen.findByTestId('settings-page');
    await type(first.user, 'klBeta', '0.5');
    first.unmount();
    renderScreen(<Screen />);
    await screen.findByTestId('settings-page');
    expect(field('klBeta').value).toBe('0.5');
  });

  it('warns plainly when a group baseline meets single answers', async () => {
    const { user } = renderScreen(<Screen />);
    await screen.findByTestId('settings-page');
    expect(screen.queryByTestId('settings-baseline-warning')).toBeNull();
    await user.click(field('baseline'));
    await user.click(await screen.findByText(/RLOO/));
    expect(screen.getByTestId('settings-baseline-warning').textContent).toContain('they carry no signal');
  });

  it('changes language and theme at once', async () => {
    const { user, desktop } = renderScreen(<Screen />);
    await screen.findByTestId('settings-page');
    await user.click(screen.getByText('中文'));
    expect(await screen.findByText('外观')).toBeTruthy();
    expect(writes(desktop)).toEqual([{ language: 'zh' }]);
  });

  it('says that something waits for a restart when the reply says so', async () => {
    const { user } = renderScreen(<Screen />, { desktop: new AnsweringDesktop('restart') });
    await screen.findByTestId('settings-page');
    await type(user, 'gatewayPort', '4321');
    await user.click(screen.getByTestId('settings-save'));
    expect((await screen.findByTestId('settings-saved')).textContent).toContain('restarted');
  });

  it('keeps what was typed when it could not be saved, and says why', async () => {
    const { user } = renderScreen(<Screen />, { desktop: new AnsweringDesktop('refuse') });
    await screen.findByTestId('settings-page');
    await type(user, 'batchSize', '8');
    await user.click(screen.getByTestId('settings-save'));
    expect((await screen.findByRole('alert')).textContent).toBe('Not saved: The disk is full.');
    expect(field('batchSize').value).toBe('8');
  });

  it('says where the gateway answers now and where its key lies, ready to copy, and never the key', async () => {
    const { user } = renderScreen(<Screen />);
    const gateway = within(await screen.findByTestId('settings-gateway'));
    await gateway.findByText('http://127.0.0.1:4100/v1');
    await user.click(gateway.getByRole('button', { name: 'Copy the base URL' }));
    expect(await navigator.clipboard.readText()).toBe('http://127.0.0.1:4100/v1');
    await user.click(gateway.getByRole('button', { name: 'Copy the path of the admin key file' }));
    expect(await navigator.clipboard.readText()).toBe('/data/admin-key');
    expect(document.body.textContent).not.toContain('admin-token');
  });

  it('offers no address while there is none', async () => {
    const desktop = new FakeDesktop();
    desktop.url = null;
    renderScreen(<Screen />, { desktop });
    const gateway = await screen.findByTestId('settings-gateway');
    expect(gateway.textContent).toContain('not open yet');
    expect(within(gateway).queryByRole('button')).toBeNull();
  });

  it('shows the model with its size, and opens folders', async () => {
    const { user, desktop } = renderScreen(<Screen />);
    await waitFor(() => expect(screen.getByTestId('settings-model').textContent).toContain('1,243,000'));
    expect(screen.getByTestId('settings-model').textContent).toContain('A demo model');
    await user.click(screen.getByTestId('settings-show-dump'));
    expect(desktop.calls).toContainEqual({ channel: 'path-show', request: { what: 'dump' } });
  });
});
