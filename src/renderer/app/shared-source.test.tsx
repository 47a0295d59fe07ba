// @vitest-environment jsdom
import { cleanup, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openScreen } from '../components/navigation/navigation-store';
import { showSource } from '../components/navigation/source-store';
import { prepareDom, renderScreen } from '../testing/dom';
import { FakeDesktop } from '../testing/fake-desktop';
import { FakeDumps, giveChartsRoom, rowOf, statisticsOf } from '../testing/fake-dumps';
import { Shell } from './shell';

beforeEach(() => {
  prepareDom();
  giveChartsRoom();
  showSource(null);
  openScreen('trajectories');
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const counting = (trajectories: number) =>
  statisticsOf({ trajectories, overall: { count: trajectories, mean: 0.5, std: 0.1, min: 0, max: 1 } });

class OpeningDesktop extends FakeDesktop {
  constructor(private readonly gateway: FakeDumps) {
    super();
  }
  override invoke(channel: string, request?: unknown): Promise<unknown> {
    if (channel !== 'trajectories-open') return super.invoke(channel, request);
    return Promise.resolve({ ok: true, file: this.gateway.addDump('sample', 'folder', [rowOf(0)], counting(307)) });
  }
}

it('shows the dump that was opened on every screen over dumps, and leads back to the live one', async () => {
  const gateway = new FakeDumps();
  gateway.addDump('live', 'live', [rowOf(0)], counting(16));
  const { user } = renderScreen(<Shell />, { gateway, desktop: new OpeningDesktop(gateway) });
  const shown = () =>
    screen.getAllByTestId('trajectory-source').find((source) => source.getAttribute('aria-current') === 'true');

  await user.click(await screen.findByTestId('open-sample'));
  await waitFor(() => expect(shown()?.textContent).toContain('dumps/sample'));
  await user.click(screen.getByTestId('rail-groups'));
  expect(await screen.findByText('307 rows')).toBeTruthy();
  expect((screen.getByTestId('groups-source') as HTMLInputElement).value).toBe('dumps/sample');

  await user.click(screen.getByTestId('groups-back-to-live'));
  expect(await screen.findByText('16 rows')).toBeTruthy();
  expect((screen.getByTestId('groups-source') as HTMLInputElement).value).toBe('Live dump');
  await user.click(screen.getByTestId('rail-trajectories'));
  await waitFor(() => expect(shown()?.textContent).toContain('Live dump'));
});
