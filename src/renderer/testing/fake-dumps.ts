import { vi } from 'vitest';
import type { TrainingMetrics, Versions } from '../../shared/wire/rl';
import type { GroupStatistics } from '../../shared/wire/statistics';
import type { TrajectoryFile, TrajectoryRow } from '../../shared/wire/trajectory-files';
import type { TrajectoryRecord } from '../../shared/wire/trajectory-record';
import { FakeGateway } from './fake-gateway';
import { errorBody, json } from './fake-wire';

interface Dump {
  readonly file: TrajectoryFile;
  rows: TrajectoryRow[];
  statistics: GroupStatistics;
}

/** The fake gateway with opened dumps, versions and metrics: what the data screens read. */
export class FakeDumps extends FakeGateway {
  readonly dumps = new Map<string, Dump>();
  versions: Versions['versions'] = [];
  metrics: TrainingMetrics['batches'] = [];
  /** the sentence that every read of rows is refused with; null: they are read */
  failRows: string | null = null;
  /** every page asked for, as `offset+limit`, `summary` marked with an s */
  readonly pages: string[] = [];

  addDump(
    id: string,
    kind: TrajectoryFile['kind'],
    rows: TrajectoryRow[],
    statistics = statisticsOf(),
    part: Partial<TrajectoryFile> = {},
  ): TrajectoryFile {
    const file: TrajectoryFile = {
      id,
      kind,
      path: `/dumps/${id}`,
      files: 1,
      // As the gateway counts: every line, the bad ones among them.
      records: rows.length,
      bad_lines: rows.filter(({ record }) => record === null).length,
      size_bytes: 1000,
      indexed: true,
      common: {},
      ...part,
    };
    this.dumps.set(id, { file, rows, statistics });
    return file;
  }

  // Taken before the field below replaces it: everything that is not about dumps is answered as ever.
  readonly #base = (this as FakeGateway).fetch;

  override readonly fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const url = new URL(String(input));
    const path = url.pathname;
    if (path === '/rl/versions') return json({ versions: this.versions });
    if (path === '/rl/training_metrics') return json({ batches: this.metrics });
    if (path === '/rl/trajectory_files') return json({ files: [...this.dumps.values()].map(({ file }) => file) });
    const [, , , id, what] = path.split('/');
    if (!path.startsWith('/rl/trajectory_files/')) return this.#base(input, init);
    const dump = this.dumps.get(decodeURIComponent(id ?? ''));
    if (dump === undefined) return json(errorBody('unknown_file', 'No such file is opened.'), 404);
    if (what === 'statistics') return json(dump.statistics);
    if (this.failRows !== null) return json(errorBody('unreadable_file', this.failRows), 422);
    const [offset, limit] = ['offset', 'limit'].map((name) => Number(url.searchParams.get(name))) as [number, number];
    if (url.searchParams.get('bad') === '1') {
      const bad = dump.rows.filter(({ record }) => record === null);
      return json({ total: bad.length, rows: bad.slice(offset, offset + limit) });
    }
    const summary = url.searchParams.get('summary') === '1';
    this.pages.push(`${offset}+${limit}${summary ? 's' : ''}`);
    const rows = dump.rows.slice(offset, offset + limit).map((row) => (summary ? summaryOf(row) : row));
    return json({ total: dump.rows.length, rows });
  };
}

/** What the gateway leaves out of a summary: texts, but for how they begin, and token arrays. */
function summaryOf(row: TrajectoryRow): TrajectoryRow {
  if (row.record === null) return row;
  const { segments, input_ids, logprobs, loss_mask, output_token_texts, ...kept } = row.record;
  const excerpt = { question: row.record.prompt, answer: row.record.completion };
  return { ...row, record: { ...kept, prompt: '', completion: '' }, excerpt };
}

export function rowOf(index: number, record: Partial<TrajectoryRecord> = {}): TrajectoryRow {
  const texts = ['The', ' sum', ' is', ' 19', '.'];
  return {
    index,
    file: 'rollout/6/42.jsonl',
    line: index + 1,
    error: null,
    record: {
      task_id: 42,
      sample_idx: index,
      seqlen: 8,
      prompt_len: 3,
      head_version: 5,
      tail_version: 6,
      version_rle: [
        [5, 2],
        [6, 3],
      ],
      reward: 0.5,
      prompt: 'What is 12 + 7?',
      completion: texts.join(''),
      output_token_texts: texts,
      ...record,
    },
  };
}

export const badRowOf = (index: number): TrajectoryRow => ({
  index,
  file: 'rollout/6/42.jsonl',
  line: index + 1,
  record: null,
  error: 'not JSON at byte 118',
  beginning: '{"task_id": 4',
});

export function statisticsOf(part: Partial<GroupStatistics> = {}): GroupStatistics {
  return {
    trajectories: 0,
    overall: { count: 0, mean: null, std: null, min: null, max: null },
    by_version: [],
    groups: { total: 0, singletons: 0, zero_variance: 0, rows: [] },
    staleness: [],
    mixed_version: 0,
    reward_histogram: [],
    ...part,
  };
}

/** Charts measure their container; jsdom has no layout, so every box gets one size until the mocks are restored. */
export function giveChartsRoom(): void {
  const box = { x: 0, y: 0, top: 0, left: 0, right: 600, bottom: 300, width: 600, height: 300 };
  vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue({ ...box, toJSON: () => box });
}
