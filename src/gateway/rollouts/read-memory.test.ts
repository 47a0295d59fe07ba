import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'memory-'));
  await build({
    entryPoints: ['src/gateway/rollouts/testing/read-dump-program.ts'],
    outfile: join(folder, 'program.cjs'),
    bundle: true,
    platform: 'node',
    target: 'node18',
    format: 'cjs',
  });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const good = { seqlen: 4, prompt_len: 2, head_version: 3, tail_version: 3, reward: 1, prompt: 'p', completion: 'c' };

describe('a dump of many long lines', () => {
  it('is read with the memory of one of them', () => {
    const path = join(folder, 'a.jsonl');
    const line = JSON.stringify({ task_id: 1, sample_idx: 0, ...good, input_ids: Array(2_000_000).fill(7) });
    for (let k = 0; k < 25; k += 1) appendFileSync(path, `${line}\n`);
    // All of them would be 25 arrays of 16 MB and more.
    const program = [join(folder, 'program.cjs'), path];
    const said = execFileSync(process.execPath, ['--max-old-space-size=250', ...program], { encoding: 'utf8' });
    expect(JSON.parse(said)).toEqual({ records: 25, bad: 0, rows: 25 });
  });
});
