// @vitest-environment jsdom
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { useActionKeys } from '../../components/actions/use-actions';
import { openScreen, useNavigationStore } from '../../components/navigation/navigation-store';
import { showSource, useSourceStore } from '../../components/navigation/source-store';
import { writeTrajectoryPlace } from '../../components/navigation/trajectory-place';
import { prepareDom, renderScreen } from '../../testing/dom';
import { FakeDesktop } from '../../testing/fake-desktop';
import { badRowOf, FakeDumps, rowOf, statisticsOf } from '../../testing/fake-dumps';
import { useTrajectoriesStore } from './store';
import { TrajectoriesPage } from './trajectories-page';

const fresh = useTrajectoriesStore.getState();

/** The page with the shell's key listener. */
function Screen() {
  useActionKeys();
  return <TrajectoriesPage />;
}

beforeEach(() => {
  prepareDom();
  showSource(null);
  useTrajectoriesStore.setState(fresh, true);
  useNavigationStore.setState({ screen: 'trajectories', place: null });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** The desktop that opens the sample: what the dialog would do, and the gateway then knows the file. */
class OpeningDesktop extends FakeDesktop {
  constructor(
    private readonly gateway: FakeDumps,
    private readonly refusal: string | null = null,
  ) {
    super();
  }
  override invoke(channel: string, request?: unknown): Promise<unknown> {
    if (channel !== 'trajectories-open') return super.invoke(channel, request);
    if (this.refusal !== null) return Promise.resolve({ ok: false, message: this.refusal });
    return Promise.resolve({
      ok: true,
      file: this.gateway.addDump('sample', 'folder', [rowOf(0, { task_id: 'sums' })]),
    });
  }
}

const groupRows = (count: number) =>
  Array.from({ length: count }, (_, index) => rowOf(index, { group_id: `g-${index % 150}`, head_version: index % 2 }));
const selectedRow = () =>
  screen.getAllByTestId('trajectory-row').find((row) => row.getAttribute('aria-selected') === 'true');

const headers = () => screen.getAllByRole('columnheader').map(({ textContent }) => textContent);
const columnOf = (header: string) =>
  screen.getAllByTestId('trajectory-row').map((row) => {
    const cells = within(row).queryAllByRole('gridcell');
    return cells[headers().indexOf(header)]?.textContent;
  });

describe('TrajectoriesPage', () => {
  it('lists the live dump first and pages its rows as summaries', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('old', 'folder', [rowOf(0)]);
    gateway.addDump('live', 'live', groupRows(1000));
    renderScreen(<Screen />, { gateway });
    await screen.findAllByTestId('trajectory-row');
    expect(screen.getAllByTestId('trajectory-source').map((source) => source.dataset.kind)).toEqual(['live', 'folder']);
    await waitFor(() => expect(gateway.pages).toContain('0+100s'));
    expect(screen.getAllByTestId('trajectory-row').length).toBeLessThan(100);
    expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('1001');
    // Nothing beyond the window's page, and the selected row whole.
    expect(new Set(gateway.pages)).toEqual(new Set(['0+100s', '0+1']));
  });

  it('tells the rows of one conversation apart, from the pages it reads anyway', async () => {
    const gateway = new FakeDumps();
    const asked = ['Hello!', 'Hello!', 'What is 3 + 4?'];
    const answers = ['Hi.', 'Green.', ''];
    const rows = asked.map((prompt, turn) => rowOf(turn, { prompt, completion: answers[turn]!, turn: 0 }));
    gateway.addDump('live', 'live', [...rows, rowOf(3, { task_id: 7, prompt: '', completion: '' })]);
    renderScreen(<Screen />, { gateway });
    await waitFor(() => expect(columnOf('Answer')).toEqual(['Hi.', 'Green.', '–', '–']));
    expect(columnOf('Prompt')).toEqual(['Hello!', 'Hello!', 'What is 3 + 4?', '–']);
    expect(screen.getByText('Green.').title).toBe('Green.');
    // What a row says again steps back.
    expect(screen.getAllByTestId('trajectory-row').map((row) => row.dataset.repeats)).toEqual([
      undefined,
      'task prompt',
      'task',
      undefined,
    ]);
    expect(new Set(gateway.pages)).toEqual(new Set(['0+100s', '0+1']));
  });

  it('has no column for what every row says alike, and says it once', async () => {
    const gateway = new FakeDumps();
    const rows = [0, 1, 2].map((index) => rowOf(index, { task_id: 'chat-1', sample_idx: 0, turn: index }));
    const common = { task_id: 'chat-1', sample_idx: 0, finish_reason: null };
    gateway.addDump('live', 'live', rows, statisticsOf(), { common });
    renderScreen(<Screen />, { gateway });
    await waitFor(() => expect(headers()).toEqual(['Prompt', 'Answer', 'Version', 'Reward', 'Tokens', 'Turn']));
    expect(screen.getByTestId('rows-alike').textContent).toBe('Every row: Task chat-1 · #0');
    const dump = gateway.dumps.get('live')!;
    dump.rows = [...rows, rowOf(3, { task_id: 'chat-2', sample_idx: 0 })];
    await waitFor(() => expect(gateway.eventConnections).toBeGreaterThan(0));
    gateway.publish({ kind: 'dump-append' });
    await waitFor(() => expect(headers()[0]).toBe('Task'));
    expect(columnOf('Task')).toEqual(['chat-1', 'chat-1', 'chat-1', 'chat-2']);
    expect(screen.getByTestId('rows-alike').textContent).toBe('Every row: #0');
  });

  it('has every column for a single row', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [rowOf(0)], statisticsOf(), { common: { task_id: 42, sample_idx: 0, turn: null } });
    renderScreen(<Screen />, { gateway });
    await screen.findByTestId('detail-completion');
    expect(headers()).toContain('Task');
    expect(screen.queryByTestId('rows-alike')).toBeNull();
  });

  it('tints the completion token by token and says which tokens a run holds', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [rowOf(0)]);
    const { user } = renderScreen(<Screen />, { gateway });
    const completion = await screen.findByTestId('detail-completion');
    expect(completion.textContent).toBe('The sum is 19.');
    const runs = [...completion.querySelectorAll<HTMLElement>('[data-version]')];
    expect(runs.map((run) => [run.dataset.version, run.textContent])).toEqual([
      ['5', 'The sum'],
      ['6', ' is 19.'],
    ]);
    expect(runs[0]?.style.background).not.toBe(runs[1]?.style.background);
    const strip = within(screen.getByTestId('version-strip'));
    const [first, second] = strip.getAllByTestId('version-run');
    expect([first?.style.width, second?.style.width]).toEqual(['40%', '60%']);
    await user.hover(second!);
    expect(strip.getByTestId('version-readout').textContent).toBe('v6: tokens 3–5');
    await user.hover(within(completion).getByText('19'));
    expect(strip.getByTestId('version-readout').textContent).toBe('token 4 · v6');
  });

  it('reads an old row as version unknown, without a tint and with the reason', async () => {
    const gateway = new FakeDumps();
    const old = { head_version: -1, version_rle: undefined, output_token_texts: undefined };
    gateway.addDump('old', 'file', [rowOf(0, old)]);
    renderScreen(<Screen />, { gateway });
    expect((await screen.findByTestId('version-unknown')).textContent).toMatch(/does not say which version/);
    expect(screen.getByTestId('detail-completion').querySelector('[data-version]')).toBeNull();
    expect(screen.getByText(/holds no text per token/)).toBeTruthy();
    expect(within(screen.getAllByTestId('trajectory-row')[0]!).getByText('unknown')).toBeTruthy();
  });

  it('shows a bad line as a row with its place and error', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [badRowOf(0), rowOf(1)]);
    renderScreen(<Screen />, { gateway });
    const rows = await screen.findAllByTestId('trajectory-row');
    await waitFor(() => expect(rows[0]?.textContent).toBe('Bad line 1 of rollout/6/42.jsonl: not JSON at byte 118'));
    expect(rows[0]?.dataset.bad).toBe('true');
    const detail = within(await screen.findByTestId('bad-line-detail'));
    expect(detail.getByRole('heading').textContent).toBe('Bad line 1 of rollout/6/42.jsonl');
    expect(detail.getByText('not JSON at byte 118')).toBeTruthy();
    expect(detail.getByText('{"task_id": 4')).toBeTruthy();
  });

  it('lists the bad lines of a source from their count, and goes to each of them in the table', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [rowOf(0), badRowOf(1), rowOf(2), badRowOf(3)]);
    const { user } = renderScreen(<Screen />, { gateway });
    await screen.findByTestId('detail-completion');
    expect(screen.getByTestId('trajectory-source').textContent).toContain('2 rows');
    expect(screen.getByText('1–4 of 4 lines')).toBeTruthy();
    await user.click(screen.getByText('2 bad lines'));
    const pane = within(await screen.findByTestId('bad-lines-pane'));
    const lines = await pane.findAllByTestId('bad-line');
    expect(lines.map(({ textContent }) => textContent)).toEqual([
      'rollout/6/42.jsonl, line 2not JSON at byte 118{"task_id": 4',
      'rollout/6/42.jsonl, line 4not JSON at byte 118{"task_id": 4',
    ]);
    await waitFor(() => expect(useTrajectoriesStore.getState().selected).toBe(1));
    await user.click(lines[1]!);
    expect(selectedRow()?.dataset.index).toBe('3');
    expect(pane.getAllByTestId('bad-line')[1]?.getAttribute('aria-current')).toBe('true');
    await user.click(screen.getAllByTestId('trajectory-row')[2]!);
    expect(await screen.findByTestId('detail-completion')).toBeTruthy();
    expect(screen.queryByTestId('bad-lines-pane')).toBeNull();
  });

  it('opens the bad lines of another source, and of the one another screen asked for', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [rowOf(0)]);
    gateway.addDump('other', 'folder', [rowOf(0), badRowOf(1)]);
    const { user } = renderScreen(<Screen />, { gateway });
    await user.click(await screen.findByText('1 bad line'));
    expect(await screen.findByTestId('bad-lines-pane')).toBeTruthy();
    expect(useSourceStore.getState().fileId).toBe('other');
    await user.click(screen.getByLabelText('Close the list of bad lines'));
    expect(screen.queryByTestId('bad-lines-pane')).toBeNull();
    showSource('live');
    openScreen('trajectories', writeTrajectoryPlace({ fileId: 'other', badLines: true }));
    expect(await screen.findByTestId('bad-lines-pane')).toBeTruthy();
  });

  it('speaks of lines until it is known which of them are rows', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [rowOf(0), badRowOf(1)], statisticsOf(), { common: undefined, bad_lines: 0 });
    renderScreen(<Screen />, { gateway });
    expect((await screen.findByTestId('trajectory-source')).textContent).toContain('2 lines');
  });

  it('keeps the ways to open a dump above everything that grows', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [rowOf(0)]);
    const { user } = renderScreen(<Screen />, { gateway, desktop: new OpeningDesktop(gateway) });
    const button = await screen.findByTestId('open-sample');
    await user.click(button);
    await waitFor(() => expect(screen.getAllByTestId('trajectory-source')).toHaveLength(2));
    const after = screen.getByTestId('open-sample');
    for (const source of screen.getAllByTestId('trajectory-source')) {
      expect(after.compareDocumentPosition(source) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    }
  });

  it('says how far the batch is that the first rows wait for', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', []);
    gateway.status = { ...gateway.status, batch: { ...gateway.status.batch, size: 8 } };
    renderScreen(<Screen />, { gateway });
    await waitFor(() => expect(screen.getByTestId('trajectories-empty').textContent).toContain('0 of 8 are ready'));
  });

  it('moves with j and k, jumps within a group across pages, and says when there is no other', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', groupRows(400));
    const { user } = renderScreen(<Screen />, { gateway });
    await screen.findByTestId('detail-completion');
    await user.keyboard('jjk');
    expect(useTrajectoriesStore.getState().selected).toBe(1);
    await user.keyboard(']');
    await waitFor(() => expect(useTrajectoriesStore.getState().selected).toBe(151));
    await user.keyboard(']');
    await waitFor(() => expect(useTrajectoriesStore.getState().selected).toBe(301));
    await user.keyboard(']');
    expect((await screen.findByText(/No other row of this group within 98 rows/)).textContent).toBeTruthy();
    expect(useTrajectoriesStore.getState().selected).toBe(301);
  });

  it('keeps the selected row and the place when rows arrive', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', groupRows(120));
    const { user } = renderScreen(<Screen />, { gateway });
    await screen.findByTestId('detail-completion');
    await user.keyboard('jjj');
    const dump = gateway.dumps.get('live')!;
    const before = screen.getByRole('grid').scrollTop;
    dump.rows = groupRows(180);
    await waitFor(() => expect(gateway.eventConnections).toBeGreaterThan(0));
    gateway.publish({ kind: 'dump-append' });
    await waitFor(() => expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('181'));
    expect(selectedRow()?.dataset.index).toBe('3');
    expect(screen.getByRole('grid').scrollTop).toBe(before);
  });

  it('pins a row and compares it with the selected one', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [rowOf(0), rowOf(1, { completion: 'Twenty.', output_token_texts: undefined })]);
    const { user } = renderScreen(<Screen />, { gateway });
    await screen.findByTestId('detail-completion');
    await user.keyboard('pjc');
    const compare = within(await screen.findByTestId('trajectory-compare'));
    await waitFor(() =>
      expect(compare.getAllByTestId('detail-completion').map((text) => text.textContent)).toEqual([
        'The sum is 19.',
        'Twenty.',
      ]),
    );
    await user.keyboard('{Escape}');
    expect(screen.queryByTestId('trajectory-compare')).toBeNull();
  });

  it('shows the segments of a multi-turn row with their versions', async () => {
    const gateway = new FakeDumps();
    const segments = [
      { role: 'prompt' as const, len: 3, text: 'What?' },
      { role: 'gen' as const, len: 2, text: 'The sum' },
      { role: 'context' as const, len: 9, text: 'go on' },
      { role: 'gen' as const, len: 3, text: ' is 19.' },
    ];
    gateway.addDump('live', 'live', [rowOf(0, { segments, seqlen: 17 })]);
    const { user } = renderScreen(<Screen />, { gateway });
    await screen.findByTestId('detail-completion');
    await user.click(screen.getByText('Segments'));
    const cells = screen
      .getAllByTestId('segment-row')
      .map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent?.trim()));
    expect(cells).toEqual([
      ['prompt', '3', '1–3', '–', 'What?'],
      ['generated', '2', '4–5', 'v5', 'The sum'],
      ['context', '9', '6–14', '–', 'go on'],
      ['generated', '3', '15–17', 'v6', 'is 19.'],
    ]);
  });

  it('goes where another screen asked: the source, the rows marked, the first of them selected', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [rowOf(0)]);
    gateway.addDump('other', 'folder', groupRows(300));
    renderScreen(<Screen />, { gateway });
    await screen.findByTestId('detail-completion');
    openScreen('trajectories', writeTrajectoryPlace({ fileId: 'other', groupId: 'g-120' }));
    await waitFor(() => expect(useTrajectoriesStore.getState().selected).toBe(120));
    expect(useSourceStore.getState().fileId).toBe('other');
    expect(screen.getByText('Marked: group g-120')).toBeTruthy();
    expect(useNavigationStore.getState().place).toBeNull();
  });

  it('begins at the first row, unmarked, when another screen chose another source', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', groupRows(10));
    gateway.addDump('other', 'folder', groupRows(5));
    const { user } = renderScreen(<Screen />, { gateway });
    await screen.findByTestId('detail-completion');
    await user.keyboard('jjj');
    useTrajectoriesStore.setState({ mark: { kind: 'version', version: 0 } });
    showSource('other');
    await waitFor(() => expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('6'));
    expect(selectedRow()?.dataset.index).toBe('0');
    expect(screen.queryByText(/^Marked:/)).toBeNull();
  });

  it('marks the rows of a version from the overview', async () => {
    const gateway = new FakeDumps();
    const summary = { count: 2, mean: 0.5, std: 0, min: 0.5, max: 0.5 };
    const statistics = statisticsOf({
      trajectories: 4,
      overall: summary,
      by_version: [
        { version: 0, ...summary },
        { version: 1, ...summary },
      ],
    });
    gateway.addDump('live', 'live', groupRows(4), statistics);
    const { user } = renderScreen(<Screen />, { gateway });
    await user.click((await screen.findAllByTestId('version-facet'))[0]!);
    await waitFor(() => expect(useTrajectoriesStore.getState().selected).toBe(1));
    const dimmed = screen.getAllByTestId('trajectory-row').map((row) => row.dataset.dimmed ?? 'no');
    expect(dimmed).toEqual(['true', 'no', 'true', 'no']);
  });

  it('fills an empty screen with the sample dump in one click', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', []);
    const { user } = renderScreen(<Screen />, { gateway, desktop: new OpeningDesktop(gateway) });
    await user.click(await screen.findByTestId('empty-open-sample'));
    expect((await screen.findAllByText('sums')).length).toBeGreaterThan(0);
    expect(useSourceStore.getState().fileId).toBe('sample');
  });

  it('says beside the buttons why a dump could not be opened', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [rowOf(0)]);
    const { user } = renderScreen(<Screen />, { gateway, desktop: new OpeningDesktop(gateway, 'This is no folder.') });
    await user.click(await screen.findByTestId('open-folder'));
    expect((await screen.findByRole('alert')).textContent).toBe('Could not open it: This is no folder.');
  });

  it('says on the screen when rows cannot be read, and reads them again on request', async () => {
    const gateway = new FakeDumps();
    gateway.addDump('live', 'live', [rowOf(0)]);
    gateway.failRows = 'The file is gone.';
    const { user } = renderScreen(<Screen />, { gateway });
    const alerts = await screen.findAllByRole('alert');
    expect(alerts[0]?.textContent).toContain('These rows could not be read: The file is gone.');
    gateway.failRows = null;
    await user.click(within(alerts[0]!).getByRole('button'));
    await waitFor(() => expect(screen.getAllByTestId('trajectory-row')[0]?.textContent).toContain('42'));
  });
});
