import { describe, expect, it } from 'vitest';
import { tellingLines } from './log-lines';

const settings = (rate: number) => `{"type":"settings","values":{"learning_rate":${rate}}}`;

describe('tellingLines', () => {
  it.each([
    ['settings told again', [settings(1), settings(1), 'a', settings(1)], [settings(1), 'a']],
    ['no settings that changed', [settings(1), settings(2), settings(1)], [settings(1), settings(2), settings(1)]],
    ['no line that only speaks of them', ['settings', 'settings'], ['settings', 'settings']],
  ])('leaves out %s', (_what, lines, expected) => {
    expect(tellingLines(lines)).toEqual(expected);
  });
});
