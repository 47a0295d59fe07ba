import { CloseButton } from '@mantine/core';
import { assertNever } from '../../../shared/lib/assert-never';
import { formatCount, formatSigned } from '../../components/number-format';
import type { Messages } from '../../i18n/en';
import { useText } from '../../i18n/text';
import { type Mark, useTrajectoriesStore } from './store';
import classes from './trajectories.module.css';

/** Which rows are in sight, what is marked, and what the last search did not find. */
export function TableFoot({ range }: { readonly range: string }) {
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
    </footer>
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
