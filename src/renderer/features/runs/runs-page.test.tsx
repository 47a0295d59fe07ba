// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useNavigationStore } from '../../components/navigation/navigation-store';
import { prepareDom, renderScreen } from '../../testing/dom';
import { FakeDesktop } from '../../testing/fake-desktop';
import { FakeDumps, giveChartsRoom, rowOf } from '../../testing/fake-dumps';
import { statusOf } from '../../testing/fake-wire';
import { RunsPage } from './runs-page';
import { useRunsStore } from './store';

beforeEach(() => {
  prepareDom();
  giveChartsRoom();
  useRunsStore.setState({ log: 'trainer', following: true, everyLine: false });
  useNavigationStore.setState({ screen: 'runs', place: null });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const batchOf = (id: number, values: Record<string, number | null>) => ({
  batch_id: id,
  version: id,
  status: 'trained',
  at: '2026-11-29T10:00:00Z',
  values,
});

describe('RunsPage', () => {
  it('tells the served version from the trained one', async () => {
    const gateway = new FakeDumps();
    gateway.status = statusOf({
      served_version: 6,
      trained_version: 7,
      batch: { size: 16, filled: 11, open_rated: 2, next_id: 8 },
    });
    renderScreen(<RunsPage />, { gateway });
    expect((await screen.findByTestId('served-version')).textContent).toBe('v6');
    expect(screen.getByTestId('trained-version').textContent).toBe('v7');
    expect(screen.getByText('One trained version is not served yet.', { exact: false })).toBeTruthy();
    expect(screen.getByTestId('batch-fill').textContent).toBe('0 of 16 trajectories');
    expect(screen.getByTestId('engine-state').textContent).toBe('serving');
    expect(screen.getByTestId('trainer-state').textContent).toBe('waiting for a batch');
  });

  it('shows phase and progress of a running batch in words', async () => {
    const gateway = new FakeDumps();
    gateway.status = statusOf({ trainer: { state: 'training', batch_id: 7, phase: 'train', fraction: 0.13 } });
    renderScreen(<RunsPage />, { gateway });
    expect((await screen.findByTestId('trainer-progress')).textContent).toBe('batch 7 · forward and backward · 13 %');
    expect(screen.getByTestId('trainer-state').textContent).toBe('training');
  });

  it('shows a batch that was set aside with its reason, and tries it again or leaves it', async () => {
    const gateway = new FakeDumps();
    const setAside = [1, 2].map((id) => ({
      batch_id: id,
      ratings: id,
      reason: `batch ${id} made the trainer fail 3 times`,
      at: '2026-11-29T10:00:00Z',
    }));
    gateway.status = { ...statusOf({}), set_aside: setAside };
    const { user } = renderScreen(<RunsPage />, { gateway });
    const lines = await screen.findAllByTestId('set-aside');
    expect(lines.map(({ textContent }) => textContent)).toEqual([
      expect.stringContaining('Batch 1, 1 rating: batch 1 made the trainer fail 3 times'),
      expect.stringContaining('Batch 2, 2 ratings: batch 2 made the trainer fail 3 times'),
    ]);
    await user.click(within(lines[0]!).getByTestId('set-aside-retry'));
    await waitFor(() => expect(gateway.requests.map(({ path }) => path)).toContain('/rl/batches/1/retry'));
    await waitFor(() =>
      expect(within(lines[1]!).getByTestId<HTMLButtonElement>('set-aside-dismiss').disabled).toBe(false),
    );
    await user.click(within(lines[1]!).getByTestId('set-aside-dismiss'));
    await waitFor(() => expect(gateway.requests.map(({ path }) => path)).toContain('/rl/batches/2/dismiss'));
    // this gateway knows no such route
    expect((await screen.findByRole('alert')).textContent).toContain('Not done: No route /rl/batches/2/dismiss');
  });

  it('shows a failed trainer with its cause, and restarts it', async () => {
    const desktop = new FakeDesktop();
    desktop.processes = desktop.processes.map((process) =>
      process.name === 'trainer'
        ? { ...process, state: 'failed', pid: null, restarts: 3, detail: 'Out of memory (exit 13).' }
        : process,
    );
    const { user } = renderScreen(<RunsPage />, { gateway: new FakeDumps(), desktop });
    await waitFor(() => expect(screen.getByTestId('trainer-state').textContent).toBe('failed'));
    expect(screen.getByText('Out of memory (exit 13).')).toBeTruthy();
    await user.click(screen.getByTestId('trainer-restart'));
    expect(desktop.calls).toContainEqual({ channel: 'process-restart', request: { name: 'trainer' } });
  });

  it('draws what was reported, marks gaps, names what was not reported, and raises alarms', async () => {
    const gateway = new FakeDumps();
    gateway.metrics = [
      batchOf(1, { 'kl/ref': 0.2, 'reward/mean': 0 }),
      batchOf(2, { 'kl/ref': null, 'reward/mean': 1 }),
      batchOf(3, { 'kl/ref': 0.7 }),
    ];
    renderScreen(<RunsPage />, { gateway });
    const charts = await screen.findAllByTestId('metric-chart');
    expect(charts.map((chart) => within(chart).getByRole('heading').textContent)).toEqual([
      'Mean reward of each batch',
      'KL divergence to the reference weights (k3)',
    ]);
    expect(charts[1]?.textContent).toContain('No finite value at batch 2.');
    // Two values with a gap between: two points and no line through the gap.
    expect(charts[1]?.querySelectorAll('.recharts-line-dot')).toHaveLength(2);
    // Not reported for batch 3 is not the same as not finite.
    expect(charts[0]?.textContent).not.toContain('No finite value');
    expect(screen.getByText(/Not reported by this trainer: .*policy\/entropy/)).toBeTruthy();
    expect(screen.getByTestId('training-alarm').textContent).toContain(
      'KL to the reference weights is 0.700 (limit 0.500)',
    );
  });

  it('lists versions newest first and opens the rows one of them sampled', async () => {
    const gateway = new FakeDumps();
    gateway.status = statusOf({ served_version: 1 });
    gateway.addDump('live', 'live', [rowOf(0)]);
    const seed = {
      version: 0,
      batch_id: null,
      trained_at: null,
      served_at: '2026-11-29T10:00:00Z',
      trajectories: 0,
      reward_mean: null,
    };
    gateway.versions = [
      seed,
      { ...seed, version: 1, batch_id: 1, trained_at: '2026-11-29T11:00:00Z', trajectories: 16, reward_mean: 0.25 },
    ];
    const { user } = renderScreen(<RunsPage />, { gateway });
    const rows = await screen.findAllByTestId('versions-row');
    expect(rows.map((row) => row.dataset.version)).toEqual(['1', '0']);
    expect(rows[0]?.textContent).toContain('serving');
    expect(rows[0]?.textContent).toContain('+0.250');
    const link = within(rows[0]!).getByRole<HTMLButtonElement>('button');
    await waitFor(() => expect(link.disabled).toBe(false));
    await user.click(link);
    expect(useNavigationStore.getState()).toMatchObject({ screen: 'trajectories', place: 'file=live&version=1' });
  });

  it('never says of the version that answers that it is not served yet', async () => {
    const gateway = new FakeDumps();
    gateway.status = statusOf({ served_version: 0 });
    const row = { batch_id: null, trained_at: null, served_at: null, trajectories: 0, reward_mean: null };
    gateway.versions = [
      { version: 0, ...row },
      { version: 1, ...row, batch_id: 1 },
    ];
    renderScreen(<RunsPage />, { gateway });
    await waitFor(() => {
      const words = screen.getAllByTestId('versions-row').map(({ textContent }) => textContent ?? '');
      expect(words.map((each) => [each.includes('serving'), each.includes('not yet')])).toEqual([
        [false, true],
        [true, false],
      ]);
    });
  });

  it('leaves repeated settings out of the log until they are asked for', async () => {
    class BeatingDesktop extends FakeDesktop {
      override invoke(channel: string, request?: unknown): Promise<unknown> {
        if (channel !== 'process-log') return super.invoke(channel, request);
        const settings = '{"type":"settings","values":{}}';
        return Promise.resolve({ lines: [settings, 'trained', settings] });
      }
    }
    const { user } = renderScreen(<RunsPage />, { gateway: new FakeDumps(), desktop: new BeatingDesktop() });
    await waitFor(() => expect(screen.getByTestId('log-pane').textContent?.split('\n')).toHaveLength(2));
    await user.click(screen.getByTestId('log-every-line'));
    await waitFor(() => expect(screen.getByTestId('log-pane').textContent?.split('\n')).toHaveLength(3));
  });

  it('shows the log of the process that is chosen', async () => {
    class LoggingDesktop extends FakeDesktop {
      override invoke(channel: string, request?: unknown): Promise<unknown> {
        if (channel !== 'process-log') return super.invoke(channel, request);
        return Promise.resolve({ lines: [`first line of ${(request as { name: string }).name}`, 'second'] });
      }
    }
    const { user } = renderScreen(<RunsPage />, { gateway: new FakeDumps(), desktop: new LoggingDesktop() });
    await waitFor(() => expect(screen.getByTestId('log-pane').textContent).toBe('first line of trainer\nsecond'));
    await user.click(within(screen.getByTestId('log-switch')).getByText('Engine'));
    await waitFor(() => expect(screen.getByTestId('log-pane').textContent).toBe('first line of engine\nsecond'));
  });

  it('lets a chart be read and opened by keyboard, and its menu be left with Esc', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [rowOf(0)]);
    gateway.metrics = [1, 2].map((id) => batchOf(id, { 'reward/mean': id / 8 }));
    const { user } = renderScreen(<RunsPage />, { gateway });
    const chart = await screen.findByTestId('metric-chart');
    const menu = within(chart).getByRole('button');
    menu.focus();
    await user.keyboard('{Enter}');
    expect(await screen.findByRole('menu')).toBeTruthy();
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
    await waitFor(() => expect(document.activeElement).toBe(menu));
    await user.tab();
    expect(document.activeElement?.tagName).toBe('svg');
    await user.keyboard('{ArrowRight}');
    await waitFor(() => expect(chart.textContent).toContain('batch 2'));
    await user.keyboard('{Enter}');
    expect(useNavigationStore.getState().screen).toBe('trajectories');
  });
});
