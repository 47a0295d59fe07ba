// @vitest-environment jsdom
import { cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useNavigationStore } from '../../components/navigation/navigation-store';
import { showSource } from '../../components/navigation/source-store';
import { prepareDom, renderScreen } from '../../testing/dom';
import { FakeDesktop } from '../../testing/fake-desktop';
import { badRowOf, FakeDumps, giveChartsRoom, rowOf, statisticsOf } from '../../testing/fake-dumps';
import { GroupsPage } from './groups-page';
import { openRows } from './open-rows';

beforeEach(() => {
  prepareDom();
  giveChartsRoom();
  showSource(null);
  useNavigationStore.setState({ screen: 'groups', place: null });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const summary = (count: number, mean: number) => ({
  count,
  mean,
  std: count < 2 ? null : 0.5,
  min: mean - 0.5,
  max: mean + 0.5,
});
const statistics = statisticsOf({
  trajectories: 1234,
  overall: summary(1230, 0.25),
  by_version: [
    { version: -1, ...summary(12, 0) },
    { version: 3, ...summary(600, 0.1) },
    { version: 4, ...summary(618, 0.4) },
  ],
  groups: {
    total: 310,
    singletons: 7,
    zero_variance: 2,
    rows: [
      { group_id: 'a', head_version: 3, ...summary(4, 0.25) },
      { group_id: 'b', head_version: 3, count: 1, mean: 1, std: null, min: 1, max: 1 },
    ],
  },
  mixed_version: 90,
  reward_histogram: [{ from: -1, to: 1, count: 1230 }],
});

describe('GroupsPage', () => {
  it('says in one line what the gateway counted, and what is not drawn', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [rowOf(0)], statistics);
    renderScreen(<GroupsPage />, { gateway });
    const counts = await screen.findByTestId('group-counts');
    expect([...counts.children].map((child) => child.textContent)).toEqual([
      '1,234 rows',
      'reward +0.250 ± 0.500',
      '310 groups',
      '7 groups of one',
      '2 all-equal',
      '90 of mixed version',
    ]);
    expect(screen.getByTestId('group-chart').textContent).toContain('12 trajectories of unknown version not drawn.');
    const perGroup = screen.getByTestId('group-rewards-chart').textContent;
    expect(perGroup).toContain('group of one: compared with its batch');
    expect(perGroup).toContain('Lowest and highest member of each group are drawn');
    expect(perGroup).toContain('The 2 largest of 310 groups.');
  });

  it('warns of groups of one only where a baseline within groups makes them a loss', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [rowOf(0)], statistics);
    const desktop = new FakeDesktop();
    renderScreen(<GroupsPage />, { gateway, desktop });
    const byBatch = (await screen.findByText('7 groups of one')).title;
    expect(byBatch).toContain('The batch baseline of this run');
    cleanup();
    desktop.settings = { ...desktop.settings, baseline: 'grpo' };
    renderScreen(<GroupsPage />, { gateway, desktop });
    await waitFor(() =>
      expect(screen.getByText('7 groups of one').title).toBe(
        'One member only: the group baseline of this run has nothing to compare it with.',
      ),
    );
    expect(screen.getByTestId('group-rewards-chart').textContent).toContain(
      'group of one: no signal under this run’s group baseline',
    );
  });

  it('says of an opened dump only what would hold if a group baseline was used', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('old', 'folder', [rowOf(0)], statistics);
    const desktop = new FakeDesktop();
    desktop.settings = { ...desktop.settings, baseline: 'grpo' };
    renderScreen(<GroupsPage />, { gateway, desktop });
    expect((await screen.findByText('7 groups of one')).title).toMatch(/trained with a group baseline .* with a batch/);
    expect(screen.getByTestId('group-rewards-chart').textContent).toContain(
      'group of one: no signal if trained with a group baseline',
    );
  });

  it('says rows and bad lines as Trajectories does, and leads there', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [rowOf(0), badRowOf(1)], statistics);
    const { user } = renderScreen(<GroupsPage />, { gateway });
    await user.click(await screen.findByText('1 bad line'));
    expect(useNavigationStore.getState()).toMatchObject({ screen: 'trajectories', place: 'file=live&bad-lines=1' });
  });

  it('counts a source of bad lines alone, and says that it has no reward', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('old', 'file', [badRowOf(0)]);
    renderScreen(<GroupsPage />, { gateway });
    expect((await screen.findByTestId('group-counts')).textContent).toBe('0 rows1 bad line');
    expect(screen.getByTestId('groups-empty').textContent).toContain('No row of this source has a reward');
    expect(screen.queryByText('Rate answers')).toBeNull();
  });

  it('draws a point per known version, and per group its known members and its mean', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [rowOf(0)], statistics);
    renderScreen(<GroupsPage />, { gateway });
    const byVersion = await screen.findByTestId('group-chart');
    await waitFor(() => expect(byVersion.querySelectorAll('.recharts-line-dot')).toHaveLength(2));
    const perGroup = screen.getByTestId('group-rewards-chart');
    // Group a: lowest, highest, mean. Group b: its only member.
    expect(perGroup.querySelectorAll('.recharts-scatter-symbol')).toHaveLength(4);
    expect(screen.getByTestId('reward-histogram-chart').querySelectorAll('.recharts-bar-rectangle')).toHaveLength(1);
  });

  it('goes to the rows of a group from its dot', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [rowOf(0)], statistics);
    const { user } = renderScreen(<GroupsPage />, { gateway });
    const perGroup = await screen.findByTestId('group-rewards-chart');
    await waitFor(() => expect(perGroup.querySelector('.recharts-scatter-symbol')).not.toBeNull());
    await user.click(perGroup.querySelector('.recharts-scatter-symbol')!);
    expect(useNavigationStore.getState()).toMatchObject({ screen: 'trajectories', place: 'file=live&group=a' });
  });

  it('says that staleness is unknown instead of drawing nothing', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [rowOf(0)], statistics);
    renderScreen(<GroupsPage />, { gateway });
    expect((await screen.findByTestId('staleness-chart')).textContent).toContain('its staleness is unknown');
  });

  it('shows another opened dump when it is chosen', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [rowOf(0)], statistics);
    gateway.addDump('old', 'folder', [rowOf(0)], statisticsOf({ trajectories: 5, overall: summary(5, 1) }));
    const { user } = renderScreen(<GroupsPage />, { gateway });
    await screen.findByText('1,234 rows');
    await user.click(screen.getByTestId('groups-source'));
    await user.click(await screen.findByText('dumps/old'));
    expect(await screen.findByText('5 rows')).toBeTruthy();
    await user.click(screen.getByTestId('groups-back-to-live'));
    expect(await screen.findByText('1,234 rows')).toBeTruthy();
    expect(screen.queryByTestId('groups-back-to-live')).toBeNull();
  });

  it('has a button that fills it when nothing was rated', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', []);
    const { user } = renderScreen(<GroupsPage />, { gateway });
    await screen.findByTestId('groups-empty');
    await user.click(screen.getByText('Rate answers'));
    expect(useNavigationStore.getState().screen).toBe('rate');
  });

  it('opens the sample dump in one click and shows it', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', []);
    class OpeningDesktop extends FakeDesktop {
      override invoke(channel: string, request?: unknown): Promise<unknown> {
        if (channel !== 'trajectories-open') return super.invoke(channel, request);
        return Promise.resolve({ ok: true, file: gateway.addDump('sample', 'folder', [rowOf(0)], statistics) });
      }
    }
    const { user } = renderScreen(<GroupsPage />, { gateway, desktop: new OpeningDesktop() });
    await user.click(await screen.findByTestId('groups-open-sample'));
    expect(await screen.findByText('1,234 rows')).toBeTruthy();
  });

  it('says when the statistics cannot be read', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [rowOf(0)], { ...statistics, trajectories: 'many' } as never);
    renderScreen(<GroupsPage />, { gateway });
    expect((await screen.findByRole('alert')).textContent).toContain('The statistics could not be read');
  });
});

describe('openRows', () => {
  it('leads to the rows behind a point', () => {
    openRows({ fileId: 'live', version: 4 });
    expect(useNavigationStore.getState()).toMatchObject({ screen: 'trajectories', place: 'file=live&version=4' });
  });
});
