import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeVersionRuns, headAndTail } from '../../shared/domain/version-runs';
import { groupStatistics } from '../groups/group-statistics';
import { lineFiles } from '../platform/line-files';
import { DumpSource } from './dump-source';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const sample = join(root, 'assets', 'sample-dump');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sample-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function allRows() {
  const source = new DumpSource('s', 'folder', sample, lineFiles);
  await source.refresh();
  return { source, rows: await source.rows(0, 1000, false) };
}

describe('the bundled sample dump', () => {
  it('is what its script writes, byte for byte', async () => {
    cpSync(join(root, 'scripts', 'make-sample-dump.mjs'), join(folder, 'scripts', 'make-sample-dump.mjs'));
    execFileSync(process.execPath, [join(folder, 'scripts', 'make-sample-dump.mjs')]);
    const names = (await lineFiles.list(sample)).sort();
    expect((await lineFiles.list(join(folder, 'assets', 'sample-dump'))).sort()).toEqual(names);
    for (const name of names) {
      expect(readFileSync(join(folder, 'assets', 'sample-dump', name), 'utf8')).toBe(
        readFileSync(join(sample, name), 'utf8'),
      );
    }
  });

  it('holds five versions, mixed rows, turns, groups without signal, both languages and one broken line', async () => {
    const { source, rows } = await allRows();
    expect(rows.filter((row) => row.error !== null).map((row) => row.file)).toEqual([
      'demo/sample/rollout/2/sum-0.jsonl',
    ]);
    const records = rows.flatMap((row) => row.record ?? []);
    expect(records.length).toBeGreaterThanOrEqual(300);
    expect(records.filter((record) => record.segments !== undefined).length).toBeGreaterThan(20);
    expect(records.some((record) => /\p{Script=Han}/u.test(record.completion))).toBe(true);
    expect(records.filter((record) => record.version_rle === undefined)).toHaveLength(3);
    const statistics = groupStatistics(await source.facts());
    expect(statistics.by_version.map(({ version }) => version)).toEqual([-1, 0, 1, 2, 3, 4]);
    expect(statistics.mixed_version).toBeGreaterThan(30);
    expect(statistics.groups.zero_variance).toBeGreaterThanOrEqual(10);
    expect(source.view().bad_lines).toBe(1);
  });

  it('agrees with itself in every row: runs, lengths, segments and texts', async () => {
    const { rows } = await allRows();
    for (const { record } of rows) {
      if (record?.version_rle === undefined) continue;
      expect(decodeVersionRuns(record.version_rle)).toHaveLength(record.output_token_texts?.length ?? -1);
      expect(headAndTail(record.version_rle)).toEqual({ head: record.head_version, tail: record.tail_version });
      const segments = record.segments ?? [];
      if (segments.length === 0) expect(record.completion).toBe(record.output_token_texts?.join(''));
      else {
        expect(segments.reduce((sum, segment) => sum + segment.len, 0)).toBe(record.seqlen);
        expect(segments.map((segment) => segment.text).join('')).toBe(record.prompt + record.completion);
      }
    }
  });
});
