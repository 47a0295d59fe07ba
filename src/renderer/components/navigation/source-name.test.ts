import { describe, expect, it } from 'vitest';
import { sourceName } from './source-name';

describe('sourceName', () => {
  it.each([
    ['live', '/data/demo/trial-0', 'Live dump'],
    ['folder', '/data/demo/trial-0/', 'demo/trial-0'],
    ['file', 'C:\\dumps\\rollout\\3\\42.jsonl', '3/42.jsonl'],
    ['file', '42.jsonl', '42.jsonl'],
    ['folder', '/', '/'],
  ] as const)('%s %s → %s', (kind, path, expected) => {
    expect(sourceName({ kind, path }, 'Live dump')).toBe(expected);
  });
});
