import type { ReactNode } from 'react';
import { assertNever } from '../../../shared/lib/assert-never';
import type { TrajectoryRow } from '../../../shared/wire/trajectory-files';
import type { TrajectoryRecord } from '../../../shared/wire/trajectory-record';
import { MiddleText } from '../../components/middle-text';
import { formatCount } from '../../components/number-format';
import { RewardBar } from '../../components/reward-bar';
import { MiniStrip } from '../../components/token-strip';
import type { Messages } from '../../i18n/en';
import { useReasonWords } from '../../i18n/reason-words';
import { useFieldWord } from '../../i18n/text';
import { knownRuns, outputTokens, versionLabel } from './row-fields';
import type { ColumnId } from './table-columns';
import classes from './trajectories.module.css';

type Text = Messages['trajectories'];

/** The cells of one row; a bad line is one cell that says what is wrong and where. */
export function trajectoryCells(
  row: TrajectoryRow,
  ids: readonly ColumnId[],
  text: Text,
  rewardLimit: number,
): ReactNode[] {
  const { record } = row;
  if (record === null) return [<BadLine key="bad" row={row} text={text} />];
  return ids.map((id) => cellOf(id, row, record, text, rewardLimit));
}

function cellOf(id: ColumnId, row: TrajectoryRow, record: TrajectoryRecord, text: Text, rewardLimit: number) {
  switch (id) {
    case 'task':
      return (
        <span key={id} className={classes.taskCell}>
          <MiddleText text={String(record.task_id)} />
        </span>
      );
    case 'sample':
      return String(record.sample_idx);
    case 'prompt':
      return <Words key={id} className={classes.promptCell} words={row.excerpt?.question} />;
    case 'answer':
      return <Words key={id} words={row.excerpt?.answer} />;
    case 'versions':
      return <Versions key={id} record={record} unknown={text.unknownVersion} />;
    case 'reward':
      return <RewardBar key={id} reward={record.reward} limit={rewardLimit} />;
    case 'length':
      return formatCount(outputTokens(record));
    case 'turn':
      return record.turn === undefined ? <Missing key={id} /> : String(record.turn);
    case 'finish':
      return <Finish key={id} reason={record.finish_reason} />;
    default:
      return assertNever(id);
  }
}

function Finish({ reason }: { readonly reason: string | undefined }) {
  const fieldWord = useFieldWord();
  return <Words words={reason === undefined ? undefined : fieldWord('finish', reason)} />;
}

/** What a row says again after the one above it, for the eye to pass over: its task, and then perhaps its prompt. */
export function repeatsOf(row: TrajectoryRow | undefined, above: TrajectoryRow | undefined): string | undefined {
  if (row == null || above == null || row.record === null || above.record === null) return undefined;
  if (row.record.task_id !== above.record.task_id) return undefined;
  const isAskedAgain = row.excerpt !== undefined && row.excerpt.question === above.excerpt?.question;
  return isAskedAgain ? 'task prompt' : 'task';
}

function Versions({ record, unknown }: { readonly record: TrajectoryRecord; readonly unknown: string }) {
  const label = versionLabel(record);
  if (label === null) return <span className={classes.faint}>{unknown}</span>;
  return (
    <span className={classes.versions}>
      <span className={classes.versionWord}>{label}</span>
      <MiniStrip runs={knownRuns(record)} />
    </span>
  );
}

function BadLine({ row, text }: { readonly row: TrajectoryRow; readonly text: Text }) {
  const reasonWords = useReasonWords();
  const why = row.error === null ? '' : reasonWords(row.error);
  const place = text.bad(row.file, formatCount(row.line));
  return (
    <span className={classes.badLine} title={why}>
      {why === '' ? place : text.badBecause(place, why)}
    </span>
  );
}

/** The beginning of a text, as much as there is room for; all that is known of it when pointed at. */
function Words({ words = '', className }: { readonly words: string | undefined; readonly className?: string }) {
  if (words === '') return <Missing />;
  return (
    <span className={`${classes.ellipsis} ${className ?? ''}`} title={words}>
      {words}
    </span>
  );
}

const Missing = () => <span className={classes.faint}>–</span>;
