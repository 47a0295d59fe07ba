import { describe, expect, it } from 'vitest';
import { CrowdNotice } from './crowd-notice';

const SECOND = 1000;

describe('CrowdNotice', () => {
  it.each<[string, readonly (readonly [at: number, waiting: number])[], readonly string[]]>([
    ['nobody ever waits', [[0, 0]], []],
    [
      'one crowd: its begin and its end',
      [
        [0, 1],
        [1, 2],
        [2, 1],
        [3, 0],
      ],
      ['0 warn', '3 info'],
    ],
    [
      'one that comes and goes is told once a minute',
      [
        [0, 1],
        [1, 0],
        [2, 1],
        [3, 0],
        [60, 1],
        [61, 0],
      ],
      ['0 warn', '1 info', '60 warn', '61 info'],
    ],
    [
      'one that came too soon and stays is told when the minute is over',
      [
        [0, 1],
        [1, 0],
        [2, 1],
        [59, 9],
        [61, 9],
        [62, 0],
      ],
      ['0 warn', '1 info', '61 warn', '62 info'],
    ],
    [
      'a clock that is set back a day silences nothing',
      [
        [86_400, 1],
        [86_401, 0],
        [0, 1],
        [1, 0],
      ],
      ['86400 warn', '86401 info', '0 warn', '1 info'],
    ],
  ])('%s', (_reason, changes, told) => {
    const lines: string[] = [];
    let now = 0;
    const clock = { now: () => now, sleep: async () => undefined, every: () => () => undefined };
    const notice = new CrowdNotice({ clock, logger: { log: (level) => lines.push(`${now / SECOND} ${level}`) } });
    for (const [at, waiting] of changes) {
      now = at * SECOND;
      notice.note({ open: 512, waiting });
    }
    expect(lines).toEqual(told);
  });
});
