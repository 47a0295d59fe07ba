import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LineFiles, lineFiles } from '../platform/line-files';
import { DumpSource } from './dump-source';
import { MAX_LINE_BYTES, readLines } from './read-lines';

const MIB = 1024 * 1024;

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lines-'));
  path = join(folder, 'a.jsonl');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const good = { seqlen: 4, prompt_len: 2, head_version: 3, tail_version: 3, reward: 1, prompt: 'p', completion: 'c' };
const record = (sample: number, over: Record<string, unknown> = {}): string =>
  JSON.stringify({ task_id: 1, sample_idx: sample, ...good, ...over });

interface Watched {
  readonly disk: LineFiles;
  /** bytes of every reading, in order */
  readonly reads: number[];
}
const watched = (): Watched => {
  const reads: number[] = [];
  const readRange: LineFiles['readRange'] = (file, start, end) => {
    reads.push(end - start);
    return lineFiles.readRange(file, start, end);
  };
  return { disk: { ...lineFiles, readRange }, reads };
};

async function open(text: string, disk: LineFiles = lineFiles): Promise<DumpSource> {
  writeFileSync(path, text);
  const source = new DumpSource('d1', 'file', path, disk);
  await source.refresh();
  return source;
}

describe('readLines', () => {
  it('reads short neighbours together and long lines one at a time', async () => {
    const { disk, reads } = watched();
    const long = 'x'.repeat(5 * MIB);
    const lines = [record(0), record(1), record(2, { completion: long }), record(3, { completion: long }), record(4)];
    const source = await open(`${lines.join('\n')}\n`, disk);
    reads.length = 0;
    expect(await source.facts()).toHaveLength(5);
    const sizes = lines.map((line) => line.length);
    expect(reads).toEqual([(sizes[0] ?? 0) + 1 + (sizes[1] ?? 0), ...sizes.slice(2)]);
  });

  it('reads on only when the line before was taken', async () => {
    const { disk, reads } = watched();
    const text = `${'x'.repeat(3 * MIB)}\n`.repeat(3);
    writeFileSync(path, text);
    const file = { path };
    const places = [0, 1, 2].map((k) => ({ file, start: k * (3 * MIB + 1), end: k * (3 * MIB + 1) + 3 * MIB }));
    const lines = readLines(disk, places);
    for (const count of [1, 2, 3]) {
      expect((await lines.next()).done).toBe(false);
      expect(reads).toEqual(Array.from({ length: count }, () => 3 * MIB));
    }
    expect((await lines.next()).done).toBe(true);
  });

  it.each([
    ['as long as it may be', 0, null],
    ['longer by one byte', 1, `The line is ${MAX_LINE_BYTES + 1} bytes long; at most ${MAX_LINE_BYTES} are read. `],
  ])('reads a line that is %s', async (_name, more, error) => {
    const size = MAX_LINE_BYTES + more;
    const line = record(1, { completion: 'x'.repeat(size - record(1, { completion: '' }).length) });
    const source = await open(`${record(0)}\n${line}\n${record(2)}\n`);
    const rows = await source.rows(0, 3, true);
    expect(rows.map(({ record: found }) => found?.sample_idx)).toEqual(error === null ? [0, 1, 2] : [0, undefined, 2]);
    expect(rows[1]?.error ?? '').toContain(error ?? '');
    if (error !== null) expect(rows[1]?.beginning).toMatch(/^\{"task_id":1,.*x…$/);
  });

  it('spoils no neighbour of a line that the disk does not give', async () => {
    const lines = [record(0), record(1), record(2)];
    const at = record(0).length + 5;
    const readRange: LineFiles['readRange'] = (file, start, end) =>
      start <= at && at < end ? Promise.reject(new Error('EIO: i/o error')) : lineFiles.readRange(file, start, end);
    const source = await open(`${lines.join('\n')}\n`, { ...lineFiles, readRange });
    const rows = await source.rows(0, 3, false);
    expect(rows.map(({ record: found }) => found?.sample_idx)).toEqual([0, undefined, 2]);
    expect(rows[1]?.error).toBe(`${path} cannot be read any more: EIO: i/o error`);
    expect((await source.badRows(0, 9)).rows.map(({ index }) => index)).toEqual([1]);
  });

  it('says of a line that was cut off since that it is gone', async () => {
    writeFileSync(path, `${record(0)}\n${record(1).slice(0, 9)}`);
    const end = record(0).length;
    const places = [
      { file: { path }, start: 0, end },
      { file: { path }, start: end + 1, end: 2 * end + 1 },
    ];
    const lines: unknown[] = [];
    for await (const { parsed } of readLines(lineFiles, places)) lines.push(parsed.ok ? parsed.value : parsed.error);
    expect(lines).toMatchObject([{ sample_idx: 0 }, 'The line is gone.']);
  });

  it('reads a long line with a bare NaN, and its neighbours', async () => {
    const long = record(1, { completion: 'x'.repeat(20 * MIB) }).replace('"reward":1', '"reward":NaN');
    const source = await open(`${record(0)}\n${long}\n${record(2)}\n`);
    const rows = await source.rows(0, 3, true);
    expect(rows.map(({ error }) => error)).toEqual([null, null, null]);
    expect(rows.map(({ record: found }) => found?.reward)).toEqual([1, null, 1]);
  });

  it('finds a long line that is cut off inside of a string bad at once', async () => {
    const cut = `{"task_id": "t", "prompt": "${'{\\"a\\": 1}, '.repeat(500_000)}`;
    const source = await open(`${record(0)}\n${cut}\n${record(2)}\n`);
    const { rows } = await source.badRows(0, 10);
    expect(rows.map(({ index }) => index)).toEqual([1]);
    expect(rows[0]?.error).toMatch(/^Not JSON: /);
  });

  it.each([
    [200, null],
    [201, 'Not a trajectory record: note: nested more than 200 levels deep.'],
    [100_000, 'Not a trajectory record: note: nested more than 200 levels deep.'],
  ])('can write out every page it gives: nested %i levels deep', async (levels, error) => {
    const deep = `${record(0).slice(0, -1)},"note":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const source = await open(`${deep}\n${record(1)}\n`);
    for (const isSummary of [true, false]) {
      const rows = await source.rows(0, 9, isSummary);
      expect(rows.map((row) => row.error)).toEqual([error, null]);
      expect(JSON.stringify(rows)).toContain('"sample_idx":1');
    }
  });

  it('ends a page of whole records before it grows too large', async () => {
    const lines = Array.from({ length: 5 }, (_, k) => record(k, { completion: 'x'.repeat(15 * MIB) }));
    const source = await open(`${lines.join('\n')}\n`);
    const indexes = async (offset: number, isSummary: boolean) =>
      (await source.rows(offset, 500, isSummary)).map(({ index }) => index);
    expect(await indexes(0, false)).toEqual([0, 1]);
    expect(await indexes(2, false)).toEqual([2, 3]);
    expect(await indexes(0, true)).toEqual([0, 1, 2, 3, 4]);
    truncateSync(path, 0); // what the disk held is given back before the folder is
  });
});
