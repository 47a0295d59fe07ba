import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trajectoryRowSchema } from '../../shared/wire/trajectory-files';
import { systemClock } from '../platform/clock';
import { lineFiles } from '../platform/line-files';
import { DumpLibrary } from './dump-library';
import { DumpSource } from './dump-source';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dump-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const record = (sample: number, over: Record<string, unknown> = {}): string =>
  JSON.stringify({
    task_id: 1,
    sample_idx: sample,
    seqlen: 4,
    prompt_len: 2,
    head_version: 3,
    tail_version: 3,
    version_rle: [[3, 2]],
    reward: 1,
    prompt: '你好',
    completion: 'hi',
    ...over,
  });

function put(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

async function open(path: string, kind: 'file' | 'folder' | 'live' = 'file'): Promise<DumpSource> {
  const source = new DumpSource('d1', kind, path, lineFiles);
  await source.refresh();
  return source;
}

const samples = async (source: DumpSource): Promise<(number | string | undefined)[]> =>
  (await source.rows(0, 500, false)).map((row) => row.record?.sample_idx ?? row.error ?? undefined);

describe('DumpSource', () => {
  it('reads pages by number, and fewer rows at the end', async () => {
    const source = await open(put('a.jsonl', `${Array.from({ length: 7 }, (_, k) => record(k)).join('\n')}\n`));
    expect(source.view()).toMatchObject({ records: 7, files: 1, indexed: true });
    expect((await source.rows(5, 10, false)).map((row) => [row.index, row.line, row.record?.sample_idx])).toEqual([
      [5, 6, 5],
      [6, 7, 6],
    ]);
    expect(await source.rows(7, 10, false)).toEqual([]);
  });

  it('turns each bad line into a row with its error and goes on', async () => {
    const lines = [record(0), '{"task_id": 1', '[]', 'null', record(4, { reward: 'good' }), '', record(6)];
    const source = await open(put('a.jsonl', `${lines.join('\n')}\n`));
    const rows = await source.rows(0, 100, false);
    for (const row of rows) expect(trajectoryRowSchema.parse(row)).toBeDefined();
    expect(rows.filter((row) => row.record !== null).map((row) => row.record?.sample_idx)).toEqual([0, 6]);
    expect(rows.find((row) => row.line === 2)?.error).toMatch(/Not JSON/);
    expect(rows.find((row) => row.line === 5)?.error).toMatch(/reward/);
    await source.facts();
    expect(source.view().bad_lines).toBe(rows.filter((row) => row.error !== null).length);
  });

  it('lists the bad lines alone, with their place, their reason and how they begin', async () => {
    const far = record(1, { completion: 'x'.repeat(200_000) });
    put(
      'a.jsonl',
      `${[record(0), `Traceback\t(most recent call last): ${'y'.repeat(300)}`, far, '{"task_id": 1'].join('\n')}\n`,
    );
    put('b.jsonl', `${record(2)}\n[]\n`);
    const source = await open(folder, 'folder');
    const { total, rows } = await source.badRows(0, 100);
    for (const row of rows) expect(trajectoryRowSchema.parse(row)).toEqual(row);
    expect(total).toBe(3);
    expect(rows.map(({ index, file, line }) => [index, file, line])).toEqual([
      [1, 'a.jsonl', 2],
      [3, 'a.jsonl', 4],
      [5, 'b.jsonl', 2],
    ]);
    expect(rows[0]?.beginning).toMatch(/^Traceback␉\(most recent call last\): y+…$/);
    expect([...(rows[0]?.beginning ?? '')]).toHaveLength(241);
    expect(rows.slice(1).map(({ beginning }) => beginning)).toEqual(['{"task_id": 1', '[]']);
    expect((await source.badRows(2, 100)).rows.map(({ index }) => index)).toEqual([5]);
    expect((await source.rows(1, 1, false))[0]).toEqual(rows[0]);
    expect(source.view().bad_lines).toBe(3);
  });

  it('takes back that a line is bad when its writer goes on', async () => {
    const path = put('a.jsonl', `${record(0)}\n${record(1).slice(0, 20)}`);
    const source = await open(path);
    expect((await source.badRows(0, 10)).rows.map(({ index }) => index)).toEqual([1]);
    appendFileSync(path, `${record(1).slice(20)}\n`);
    expect(await source.facts()).toHaveLength(2);
    expect(await source.badRows(0, 10)).toEqual({ total: 0, rows: [] });
  });

  it.each([
    ['all alike', [{}, {}], { task_id: 1, turn: null, finish_reason: null }],
    ['one task of several turns', [{ turn: 0 }, { turn: 1 }, { turn: 0 }], { task_id: 1, finish_reason: null }],
    ['a field that some lines lack', [{ finish_reason: 'stop' }, {}], { task_id: 1, turn: null }],
    ['tasks that differ in kind only', [{ task_id: 1 }, { task_id: '1' }], { turn: null, finish_reason: null }],
  ])('knows what every line has in common once it has read them: %s', async (_name, rows, common) => {
    const lines = rows.map((over, k) => record(k, over));
    const source = await open(put('a.jsonl', `${[...lines, 'no record'].join('\n')}\n`));
    expect(source.view()).not.toHaveProperty('common');
    await source.facts();
    expect(source.view().common).toEqual(common);
  });

  it.each([
    ['bare NaN', '{"reward": NaN', null],
    ['bare -Infinity', '{"reward": -Infinity', null],
    ['NaN inside a string stays text', '{"note": "NaN, -Infinity", "reward": 1.5', 1.5],
  ])('tolerates what Python writes: %s', async (_name, start, reward) => {
    const rest = record(0).replace('"reward":1,', '').slice(1);
    const source = await open(put('a.jsonl', `${start}, ${rest}\n`));
    const [row] = await source.rows(0, 1, false);
    expect(row?.record?.reward).toBe(reward);
    if (_name.includes('string')) expect(row?.record?.note).toBe('NaN, -Infinity');
  });

  it('opens rows of before version runs, head −1 read as unknown', async () => {
    const source = await open(put('a.jsonl', `${record(0, { version_rle: undefined, head_version: -1 })}\n`));
    expect((await source.rows(0, 1, false))[0]?.error).toBeNull();
    expect((await source.facts())[0]).toMatchObject({ headVersion: -1 });
  });

  it('reads files with CRLF line ends and without a last line end', async () => {
    const source = await open(put('a.jsonl', `${record(0)}\r\n${record(1)}`));
    expect(await samples(source)).toEqual([0, 1]);
  });

  it('finds both path layouts and orders versions as numbers', async () => {
    put('logs/me/exp/trial/rollout/10/1.jsonl', `${record(10)}\n`);
    put('exp/trial/rollout/2/10.jsonl', `${record(3)}\n`);
    put('exp/trial/rollout/2/9.jsonl', `${record(2)}\n`);
    put('exp/trial/rollout/2/notes.txt', 'no dump');
    const source = await open(folder, 'folder');
    expect(await samples(source)).toEqual([2, 3, 10]);
    expect(new Set((await source.facts()).map((facts) => facts.groupId)).size).toBe(3);
  });

  it('keeps row numbers when a live dump grows, and leaves a half-written line until it is whole', async () => {
    const first = put('rollout/1/a.jsonl', `${record(0)}\n`);
    put('rollout/1/b.jsonl', `${record(1)}\n`);
    const source = await open(folder, 'live');
    appendFileSync(first, `${record(2)}\n{"task_id"`);
    put('rollout/0/c.jsonl', `${record(3)}\n`);
    await source.refresh();
    expect(await samples(source)).toEqual([0, 1, 2, 3]);
    appendFileSync(first, `${record(4).slice('{"task_id"'.length)}\n`);
    await source.refresh();
    expect(await samples(source)).toEqual([0, 1, 2, 3, 4]);
  });

  it('completes the last line of a chosen folder when its writer goes on', async () => {
    const path = put('rollout/1/a.jsonl', `${record(0)}\n${record(1).slice(0, 20)}`);
    put('rollout/1/b.jsonl', `${record(2)}\n`);
    const source = await open(folder, 'folder');
    expect(source.view().records).toBe(3);
    appendFileSync(path, record(1).slice(20, 40));
    await source.refresh();
    appendFileSync(path, `${record(1).slice(40)}\n${record(3)}\n`);
    await source.refresh();
    expect(await samples(source)).toEqual([0, 1, 2, 3]);
  });

  it('keeps what it knows of a live dump while new lines are not counted yet', async () => {
    const path = put('rollout/1/a.jsonl', `${record(0)}\n${record(1)}\n`);
    const source = await open(folder, 'live');
    await source.facts();
    appendFileSync(path, `${record(2, { task_id: 2 })}\n`);
    await source.refresh();
    expect(source.view()).toMatchObject({ records: 3, common: { task_id: 1 } });
    await source.facts();
    expect(source.view().common).toEqual({ turn: null, finish_reason: null });
  });

  it('leaves texts and token arrays out of a summary, but for how they begin', async () => {
    const texts = { prompt: '<|im_start|>user\nHello!<|im_end|>\n', completion: 'Hi.<|im_end|>' };
    const line = record(0, { input_ids: [1], logprobs: [0], group_id: 'g', ...texts });
    const source = await open(put('a.jsonl', `${line}\nno record\n`));
    const [row, bad] = await source.rows(0, 2, true);
    expect(row?.excerpt).toEqual({ question: 'Hello!', answer: 'Hi.' });
    expect(bad).not.toHaveProperty('excerpt');
    expect((await source.rows(0, 1, false))[0]).not.toHaveProperty('excerpt');
    expect(row?.record).toMatchObject({ prompt: '', completion: '', group_id: 'g', reward: 1 });
    expect(row?.record).not.toHaveProperty('input_ids');
    expect(row?.record).not.toHaveProperty('logprobs');
  });

  it('indexes lines that cross chunk borders', async () => {
    const long = 'x'.repeat(700_000);
    const lines = Array.from({ length: 30 }, (_, k) => record(k, { completion: long }));
    const source = await open(put('a.jsonl', `${lines.join('\n')}\n`));
    expect(await samples(source)).toEqual(Array.from({ length: 30 }, (_, k) => k));
  });

  it('says so on the row when its file is gone, and keeps answering', async () => {
    const path = put('x/a.jsonl', `${record(0)}\n`);
    for (const [target, kind] of [[dirname(path), 'folder'] as const, [path, 'file'] as const]) {
      put('x/a.jsonl', `${record(0)}\n`);
      const source = await open(target, kind);
      rmSync(dirname(path), { recursive: true });
      const [row] = await source.rows(0, 1, false);
      expect(row?.error).toMatch(/cannot be read any more/);
      await source.refresh();
      expect(source.view().records).toBe(1);
      expect(await source.facts()).toEqual([]);
    }
  });

  it('reads a file again from the start when it was replaced by a shorter one', async () => {
    const path = put('rollout/1/a.jsonl', `${record(0)}\n${record(1)}\n`);
    const source = await open(folder, 'live');
    writeFileSync(path, `${record(7)}\n`);
    await source.refresh();
    expect(await samples(source)).toEqual([7]);
  });
});

describe('a dump file that is written anew', () => {
  const lines = (samples: readonly number[], over: Record<string, unknown> = {}): string =>
    samples.map((sample) => `${record(sample, over)}\n`).join('');
  const before = lines([0, 1]);
  const rewritten: readonly (readonly [string, (path: string) => void, number[]])[] = [
    ['grows past its old size', (path) => writeFileSync(path, lines([7, 8, 9], { completion: 'longer' })), [7, 8, 9]],
    ['differs at its end only', (path) => writeFileSync(path, lines([0, 5, 6])), [0, 5, 6]],
    ['has its old size', (path) => writeFileSync(path, lines([0, 2])), [0, 2]],
    [
      'is another file in its place',
      (path) => {
        writeFileSync(`${path}.new`, `${lines([3], { completion: 'long' })}${before}`);
        renameSync(`${path}.new`, path);
      },
      [3, 0, 1],
    ],
    ['is shorter', (path) => writeFileSync(path, lines([4])), [4]],
    ['is empty', (path) => writeFileSync(path, ''), []],
    ['only went on', (path) => appendFileSync(path, lines([2])), [0, 1, 2]],
  ];

  it.each(
    rewritten.flatMap(([name, rewrite, expected]) =>
      (['file', 'folder', 'live'] as const).map((kind) => ({ name, rewrite, expected, kind })),
    ),
  )('$name: $kind', async ({ rewrite, expected, kind }) => {
    const path = put('rollout/1/a.jsonl', before);
    utimesSync(path, 1, 1); // as if written long ago: a clock too coarse to tell the two apart is no part of this
    const source = await open(kind === 'file' ? path : folder, kind);
    await source.facts();
    rewrite(path);
    await source.refresh();
    expect(await samples(source)).toEqual(expected);
    expect(await source.badRows(0, 10)).toEqual({ total: 0, rows: [] });
  });

  it('is read anew by whoever asks for its rows', async () => {
    const path = put('a.jsonl', before);
    const source = await open(path);
    writeFileSync(path, lines([7, 8, 9], { completion: 'longer' }));
    expect(await samples(source)).toEqual([7, 8, 9]);
    expect(source.view().records).toBe(3);
  });
});

describe('DumpLibrary', () => {
  const library = () => new DumpLibrary(lineFiles, systemClock, join(folder, 'live'));

  it.each([
    ['missing', () => join(folder, 'nothing'), /does not exist/],
    ['a folder without JSONL', () => dirname(put('x/readme.txt', 'hello')), /no \.jsonl file/],
    ['an empty file', () => put('empty.jsonl', ''), /is empty/],
    ['a binary file', () => put('picture.jsonl', 'PNG\0\0\0'), /binary/],
    ['text that is no dump', () => put('poem.jsonl', 'roses are red\n'), /not a rollout dump/],
  ])('refuses %s in words', async (_name, path, message) => {
    const opened = await library().open(path());
    expect(opened.ok ? 'opened' : opened.error).toMatch(message);
  });

  it('gives the same source for the same path, and lists the live dump first', async () => {
    const dumps = library();
    const path = put('a.jsonl', `${record(0)}\n`);
    const [first, second] = [await dumps.open(path), await dumps.open(path)];
    expect(first.ok && second.ok && first.value.id === second.value.id).toBe(true);
    expect(dumps.list().map((source) => source.kind)).toEqual(['live', 'file']);
  });
});
