import { describe, expect, it } from 'vitest';
import { groupSignal } from './group-signal';

describe('groupSignal', () => {
  it.each([
    [true, 'batch', 'by-batch'],
    [true, 'batch_loo', 'by-batch'],
    [true, 'grpo', 'none'],
    [true, 'rloo', 'none'],
    [false, 'batch_loo', 'unknown'],
    [false, 'grpo', 'unknown'],
  ] as const)('live %s, baseline %s: %s', (isLive, baseline, expected) => {
    expect(groupSignal(isLive, baseline)).toBe(expected);
  });
});
