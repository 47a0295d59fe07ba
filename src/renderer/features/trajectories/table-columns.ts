import type { CommonFields, TrajectoryFile, TrajectoryRow } from '../../../shared/wire/trajectory-files';
import type { TrajectoryRecord } from '../../../shared/wire/trajectory-record';
import { type Column, tableWidth } from '../../components/virtual-table';
import type { Messages } from '../../i18n/en';

type Text = Messages['trajectories'];
export type ColumnId = keyof Text['columns'];

interface Shape extends Pick<Column, 'width' | 'align'> {
  /** pixels it may not be squeezed below; what `width` begins with */
  readonly least: number;
}

/** What tells rows apart has what the others leave over: the prompt, and the answer most of all. */
const shapes: Record<ColumnId, Shape> = {
  task: { least: 72, width: 'minmax(72px, 0.6fr)' },
  sample: { least: 20, width: '20px', align: 'end' },
  prompt: { least: 72, width: 'minmax(72px, 1fr)' },
  answer: { least: 104, width: 'minmax(104px, 1.6fr)' },
  versions: { least: 80, width: '80px' },
  reward: { least: 88, width: '88px' },
  length: { least: 50, width: '50px', align: 'end' },
  turn: { least: 28, width: '28px', align: 'end' },
  finish: { least: 52, width: 'minmax(52px, 0.5fr)' },
};
const order = Object.keys(shapes) as ColumnId[]; // keys of the record above

/** Columns of what the whole source may have in common; their names are the fields'. */
const fieldColumns = {
  task_id: 'task',
  sample_idx: 'sample',
  turn: 'turn',
  finish_reason: 'finish',
} as const satisfies Record<keyof CommonFields, ColumnId>;
export const commonFieldNames = Object.keys(fieldColumns) as (keyof CommonFields)[]; // as above

/** Without this much room for prompt and answer, the least telling columns give way, the first one first. */
const TEXT_ROOM = 236;
const givesWay: readonly ColumnId[] = ['finish', 'turn', 'sample'];

/**
 * The columns of a table that is so wide: none that says the same in every row, and as many of the others as leave room
 * for what was asked and answered. Whatever has no column stands in the detail of the selected row.
 *
 * @param width - pixels; 0: not known yet
 */
export function chooseColumns(alike: CommonFields, width: number): ColumnId[] {
  const same = new Set(commonFieldNames.filter((name) => name in alike).map((name) => fieldColumns[name]));
  let ids = order.filter((id) => !same.has(id as (typeof fieldColumns)[keyof CommonFields])); // asks a set of some of them
  if (width === 0) return ids;
  for (const id of givesWay) {
    const spare = width - leastWidth(ids) + shapes.prompt.least + shapes.answer.least;
    if (spare >= TEXT_ROOM) break;
    ids = ids.filter((other) => other !== id);
  }
  return ids;
}

/** Pixels under which a table of these columns scrolls sideways. */
export const leastWidth = (ids: readonly ColumnId[]): number => tableWidth(ids.map((id) => shapes[id].least));

export const tableColumns = (ids: readonly ColumnId[], { columns }: Text): Column[] =>
  ids.map((id) => ({ id, header: columns[id], ...shapes[id] }));

/**
 * What all rows have in common, as the gateway counted it. A loaded row that differs has the last word, for a live dump
 * grows. Until it has counted, loaded rows speak for all only of fields that they lack: a dump sorted by task begins
 * with many rows of one, and a column that goes and comes again is worse than one too many. Of a single row nothing is said.
 */
export function alikeFields(file: Pick<TrajectoryFile, 'common'>, loaded: readonly TrajectoryRow[]): CommonFields {
  const records = loaded.flatMap(({ record }) => record ?? []);
  const [first] = records;
  if (first === undefined || records.length < 2) return {};
  const names = commonFieldNames.filter((name) => {
    const value = fieldOf(first, name);
    const isClaimed = file.common === undefined ? value === null : name in file.common;
    return isClaimed && records.every((record) => fieldOf(record, name) === value);
  });
  return Object.fromEntries(names.map((name) => [name, fieldOf(first, name)]));
}

const fieldOf = (record: TrajectoryRecord, name: keyof CommonFields) => record[name] ?? null;
