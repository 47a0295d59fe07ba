import { basename, join, normalize, posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { taskFileName } from './task-file-name';

const hostile = fc.constantFrom(
  '..',
  '../../etc/passwd',
  '/',
  '\\',
  'a/b',
  'C:\\x',
  'nul',
  'CON',
  '.hidden',
  '',
  ' ',
  '\0',
  'A',
  'a',
  'aux.txt',
  '会话',
  'x'.repeat(5000),
);

describe('taskFileName', () => {
  it.each([
    ['demo-task-0', 'demo-task-0'],
    ['17', '17'],
    ['a.b_c', 'a.b_c'],
  ])('keeps the plain id %s', (id, expected) => {
    expect(taskFileName(id)).toBe(expected);
  });

  it('never leaves the folder, on any system', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), hostile), (id) => {
        const name = `${taskFileName(id)}.jsonl`;
        expect(basename(name)).toBe(name);
        expect(win32.basename(name)).toBe(name);
        expect(posix.dirname(normalize(join('/dump', name)))).toBe('/dump');
        expect(name).toMatch(/^[A-Za-z0-9_-][A-Za-z0-9._~-]*\.jsonl$/);
        expect(name.length).toBeLessThan(200);
      }),
    );
  });

  it('gives two ids two files, also where case does not count', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), hostile), fc.oneof(fc.string(), hostile), (a, b) => {
        fc.pre(a !== b);
        expect(taskFileName(a).toLowerCase()).not.toBe(taskFileName(b).toLowerCase());
      }),
    );
  });
});
