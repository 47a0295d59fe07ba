import { CloseButton } from '@mantine/core';
import { assertNever } from '../../../shared/lib/assert-never';
import type { CommonFields } from '../../../shared/wire/trajectory-files';
import { formatCount, formatSigned } from '../../components/number-format';
import type { Messages } from '../../i18n/en';
import { useFieldWord, useText } from '../../i18n/text';
import { type Mark, useTrajectoriesStore } from './store';
import classes from './trajectories.module.css';

interface Props {
  readonly range: string;
  /** what every row says alike, so that it has no column */
  readonly alike: CommonFields;
}

/** Which lines are in sight, what is marked, what the last search did not find, and what the table leaves out. */
export function TableFoot({ range, alike }: Props) {
  const text = useText().trajectories;
  const { mark, notice } = useTrajectoriesStore();
  return (
    <footer className={classes.foot}>
      <span>{range}</span>
      {mark !== null && (
        <span className={classes.markChip}>
          {text.marked(markWords(mark, text))}
          <CloseButton
            size="xs"
            aria-label={text.unmark}
            onClick={() => useTrajectoriesStore.setState({ mark: null })}
          />
        </span>
      )}
      {notice !== null && (
        <span role="status" className={classes.notice}>
          {(notice.kind === 'group' ? text.noneInGroup : text.noneMarked)(formatCount(notice.scanned))}
        </span>
      )}
      <Alike alike={alike} text={text} />
    </footer>
  );
}

function Alike({ alike, text }: { readonly alike: CommonFields; readonly text: Messages['trajectories'] }) {
  const { columns } = text;
  const fieldWord = useFieldWord();
  const words = [
    alike.task_id === undefined ? null : `${columns.task} ${alike.task_id}`,
    alike.sample_idx === undefined ? null : `#${alike.sample_idx}`,
    alike.turn == null ? null : `${columns.turn} ${alike.turn}`,
    alike.finish_reason == null ? null : `${columns.finish} ${fieldWord('finish', alike.finish_reason)}`,
  ].filter((word) => word !== null);
  if (words.length === 0) return null;
  const sentence = text.alike(words.join(' · '));
  return (
    <span className={classes.alike} title={sentence} data-testid="rows-alike">
      {sentence}
    </span>
  );
}

function markWords(mark: Mark, text: Messages['trajectories']): string {
  switch (mark.kind) {
    case 'version':
      return mark.version < 0 ? text.versionUnknown : `v${mark.version}`;
    case 'group':
      return text.markedGroup(mark.groupId);
    case 'rewards':
      return text.markedRewards(text.rewardRange(formatSigned(mark.from), formatSigned(mark.to)));
    default:
      return assertNever(mark);
  }
}
