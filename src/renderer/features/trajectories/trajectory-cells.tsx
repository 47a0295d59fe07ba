import type { ReactNode } from 'react';
import type { TrajectoryRow } from '../../../shared/wire/trajectory-files';
import { MiddleText } from '../../components/middle-text';
import { formatCount } from '../../components/number-format';
import { RewardBar } from '../../components/reward-bar';
import { MiniStrip } from '../../components/token-strip';
import type { Column } from '../../components/virtual-table';
import type { Messages } from '../../i18n/en';
import { useReasonWords } from '../../i18n/reason-words';
import { knownRuns, outputTokens, versionLabel } from './row-fields';
import classes from './trajectories.module.css';

type Text = Messages['trajectories'];

/**
 * Pixels under which the table scrolls sideways: the sum of the columns' least widths and their gaps. In the window's first
 * size it fits, the scrollbar of a long dump included.
 */
export const TABLE_MIN_WIDTH = 564;

export const tableColumns = ({ columns }: Text): readonly Column[] => [
  { id: 'task', header: columns.task, width: 'minmax(72px, 1fr)' },
  { id: 'sample', header: columns.sample, width: '20px', align: 'end' },
  { id: 'excerpt', header: columns.excerpt, width: 'minmax(96px, 3fr)' },
  { id: 'versions', header: columns.versions, width: '82px' },
  { id: 'reward', header: columns.reward, width: '84px' },
  { id: 'length', header: columns.length, width: '44px', align: 'end' },
  { id: 'turn', header: columns.turn, width: '30px', align: 'end' },
  { id: 'finish', header: columns.finish, width: 'minmax(42px, 0.4fr)' },
];

/** The cells of one row; a bad line is one cell that says what is wrong and where. */
export function trajectoryCells(row: TrajectoryRow, text: Text, rewardLimit: number): ReactNode[] {
  const { record } = row;
  if (record === null) return [<BadLine key="bad" row={row} text={text} />];
  const label = versionLabel(record);
  return [
    <MiddleText key="task" text={String(record.task_id)} />,
    String(record.sample_idx),
    <Excerpt key="excerpt" excerpt={row.excerpt} />,
    label === null ? (
      <span key="versions" className={classes.faint}>
        {text.unknownVersion}
      </span>
    ) : (
      <span key="versions" className={classes.versions}>
        <span className={classes.versionWord}>{label}</span>
        <MiniStrip runs={knownRuns(record)} />
      </span>
    ),
    <RewardBar key="reward" reward={record.reward} limit={rewardLimit} />,
    formatCount(outputTokens(record)),
    record.turn === undefined ? <Missing key="turn" /> : String(record.turn),
    record.finish_reason ?? <Missing key="finish" />,
  ];
}

function BadLine({ row, text }: { readonly row: TrajectoryRow; readonly text: Text }) {
  const reasonWords = useReasonWords();
  const why = row.error === null ? '' : reasonWords(row.error);
  return (
    <span className={classes.badLine} title={why}>
      {text.bad(row.file, formatCount(row.line))}
      {why === '' ? '' : `: ${why}`}
    </span>
  );
}

/** Rows of one conversation share all but their turn: what was asked, and what came, tells them apart. */
function Excerpt({ excerpt }: Pick<TrajectoryRow, 'excerpt'>) {
  if (excerpt === undefined || (excerpt.question === '' && excerpt.answer === '')) return <Missing />;
  const { question, answer } = excerpt;
  return (
    <span className={classes.ellipsis} title={`${question}\n→ ${answer}`} data-testid="row-excerpt">
      {question} <span className={classes.rowAnswer}>→ {answer}</span>
    </span>
  );
}

const Missing = () => <span className={classes.faint}>–</span>;
