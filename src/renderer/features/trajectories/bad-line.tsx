import type { TrajectoryRow } from '../../../shared/wire/trajectory-files';
import { useReasonWords } from '../../i18n/reason-words';
import { useText } from '../../i18n/text';
import classes from './bad-lines.module.css';

/** Why a line is no row, and how it begins: enough to find it and mend it in its file. */
export function BadLineFacts({ row }: { readonly row: TrajectoryRow }) {
  const text = useText().trajectories;
  const reasonWords = useReasonWords();
  return (
    <>
      <span className={classes.reason}>{row.error === null ? '' : reasonWords(row.error)}</span>
      {row.beginning === '' ? (
        <span className={classes.empty}>{text.badLineEmpty}</span>
      ) : (
        row.beginning !== undefined && <code className={classes.beginning}>{row.beginning}</code>
      )}
    </>
  );
}
