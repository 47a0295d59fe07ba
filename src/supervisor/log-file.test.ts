import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LogFile } from './log-file';

describe('LogFile', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'log-file-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('writes the lines in order and goes on with an earlier file', async () => {
    for (const lines of [['one', 'two'], ['three']]) {
      const file = new LogFile(join(folder, 'deep', 'engine.log'));
      for (const line of lines) file.append(line);
      await file.flush();
    }
    expect(readFileSync(join(folder, 'deep', 'engine.log'), 'utf8')).toBe('one\ntwo\nthree\n');
  });

  it('rotates by size and keeps only so many', async () => {
    const file = new LogFile(join(folder, 'engine.log'), 10, 2);
    for (let number = 1; number <= 5; number += 1) {
      file.append(`this is line ${number}`);
      await file.flush();
    }
    expect(readdirSync(folder).sort()).toEqual(['engine.log', 'engine.log.1', 'engine.log.2']);
    expect(readFileSync(join(folder, 'engine.log'), 'utf8')).toBe('this is line 5\n');
    expect(readFileSync(join(folder, 'engine.log.2'), 'utf8')).toBe('this is line 3\n');
  });

  it('says how many lines were too fast instead of filling the memory', async () => {
    const file = new LogFile(join(folder, 'engine.log'));
    for (let number = 0; number < 300; number += 1) file.append('x'.repeat(10_000));
    await file.flush();
    const lines = readFileSync(join(folder, 'engine.log'), 'utf8').trim().split('\n');
    expect(lines).toHaveLength(100);
    expect(lines[99]).toMatch(/^… 201 lines were not logged/);
  });
});
