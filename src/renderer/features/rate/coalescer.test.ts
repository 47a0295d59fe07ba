import { describe, expect, it } from 'vitest';
import { createCoalescer } from './coalescer';

function setUp() {
  const applied: object[] = [];
  const later: (() => void)[] = [];
  const coalescer = createCoalescer<{ text: string; runs: number }>(
    (change) => applied.push(change),
    (run) => later.push(run),
  );
  const runLater = (): void => {
    for (const run of later.splice(0)) run();
  };
  return { applied, coalescer, runLater, later };
}

describe('createCoalescer', () => {
  it('applies a burst as one change with the newest values', () => {
    const { applied, coalescer, runLater, later } = setUp();
    coalescer.add({ text: 'a' });
    coalescer.add({ text: 'ab', runs: 1 });
    expect(later).toHaveLength(1);
    expect(coalescer.pending()).toEqual({ text: 'ab', runs: 1 });
    runLater();
    expect(applied).toEqual([{ text: 'ab', runs: 1 }]);
  });

  it('applies at once on flush and nothing twice', () => {
    const { applied, coalescer, runLater } = setUp();
    coalescer.add({ text: 'a' });
    coalescer.flush();
    runLater();
    expect(applied).toEqual([{ text: 'a' }]);
    coalescer.add({ text: 'b' });
    runLater();
    expect(applied).toEqual([{ text: 'a' }, { text: 'b' }]);
  });
});
