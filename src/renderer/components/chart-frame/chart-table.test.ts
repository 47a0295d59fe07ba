import { describe, expect, it } from 'vitest';
import { toCsv } from './chart-table';

describe('toCsv', () => {
  it('keeps full precision, leaves unknown cells empty and quotes what needs it', () => {
    const rows = [
      ['g,1', 0.1 + 0.2, null],
      ['say "x"', -1, 2],
    ] as const;
    expect(toCsv({ columns: ['group', 'mean', 'std'], rows })).toBe(
      'group,mean,std\r\n"g,1",0.30000000000000004,\r\n"say ""x""",-1,2\r\n',
    );
  });
});
