import { describe, expect, it } from 'vitest';
import { GradientGuard } from './gradient-guard';

describe('GradientGuard', () => {
  it.each([
    ['ordinary norms pass', [1, 2, 1, 3, 2, 1], ['step', 'step', 'step', 'step', 'step', 'step']],
    ['a first huge norm passes: there is nothing to compare it with', [1e6, 1], ['step', 'step']],
    ['50 times the median passes', [1, 1, 1, 1, 1, 50], ['step', 'step', 'step', 'step', 'step', 'step']],
    [
      'more is skipped, and the next one is judged as before',
      [1, 1, 1, 1, 1, 51, 1],
      ['step', 'step', 'step', 'step', 'step', 'skip', 'step'],
    ],
    ['not a number is skipped at once', [Number.NaN, 1], ['skip', 'step']],
    ['three in a row end the run', [Number.NaN, Number.POSITIVE_INFINITY, Number.NaN], ['skip', 'skip', 'diverged']],
    [
      'two, a good one, two more do not',
      [Number.NaN, Number.NaN, 1, Number.NaN, Number.NaN],
      ['skip', 'skip', 'step', 'skip', 'skip'],
    ],
  ])('%s', (_reason, norms, verdicts) => {
    const guard = new GradientGuard();
    expect(norms.map((norm) => guard.judge(norm))).toEqual(verdicts);
  });

  it('goes on from the norms of a checkpoint and keeps a bounded number of them', () => {
    const guard = new GradientGuard([1, 1, 1, 1, 1]);
    expect(guard.judge(60)).toBe('skip');
    for (let i = 0; i < 200; i++) guard.judge(2);
    expect(guard.norms).toHaveLength(64);
    expect(guard.judge(60)).toBe('step');
  });
});
