import { lineFiles } from '../../platform/line-files';
import { DumpSource } from '../dump-source';

/** Counts the dump that is its argument: started with little memory, it shows what reading one takes. */
async function countDump(path: string): Promise<void> {
  const source = new DumpSource('d1', 'file', path, lineFiles);
  const { total } = await source.badRows(0, 10);
  const rows = await source.rows(0, 500, true);
  process.stdout.write(JSON.stringify({ records: source.view().records, bad: total, rows: rows.length }));
}

void countDump(process.argv[2] ?? '');
