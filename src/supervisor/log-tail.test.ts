import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter, LogTail } from './log-tail';

describe('LogTail', () => {
  it.each([
    [0, 3],
    [2, 3],
    [3, 3],
    [4, 3],
    [5, 3],
    [6, 3],
    [1000, 500],
    [1999, 500],
  ])('keeps the last lines of %i with room for %i', (count, capacity) => {
    const tail = new LogTail(capacity);
    const all = Array.from({ length: count }, (_, index) => `line ${index}`);
    for (const line of all) tail.append(line);
    expect(tail.lines()).toEqual(all.slice(-capacity));
  });

  it('shortens a line that would fill the memory', () => {
    const tail = new LogTail(2);
    tail.append('x'.repeat(100_000));
    expect(tail.lines()[0]?.length).toBe(4001);
  });
});

describe('LineSplitter', () => {
  it('finds the same lines wherever the bytes are cut, even inside a character', () => {
    const text = fc.array(fc.string({ unit: 'grapheme' }).map((line) => line.replace(/[\r\n]/g, '')));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 7 }), (lines, step) => {
        const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(''));
        const found: string[] = [];
        const splitter = new LineSplitter((line) => found.push(line));
        for (let at = 0; at < bytes.length; at += step) splitter.push(bytes.subarray(at, at + step));
        splitter.flush();
        expect(found).toEqual(lines);
      }),
    );
  });

  it('drops the carriage return of Windows and delivers an unfinished last line', () => {
    const found: string[] = [];
    const splitter = new LineSplitter((line) => found.push(line));
    splitter.push(new TextEncoder().encode('one\r\ntwo\nthree'));
    splitter.flush();
    expect(found).toEqual(['one', 'two', 'three']);
  });

  it('delivers an endless line in pieces', () => {
    const found: string[] = [];
    const splitter = new LineSplitter((line) => found.push(line), 10);
    for (let push = 0; push < 3; push += 1) splitter.push(new TextEncoder().encode('a'.repeat(8)));
    splitter.flush();
    expect(found).toEqual(['a'.repeat(16), 'a'.repeat(8)]);
  });
});
