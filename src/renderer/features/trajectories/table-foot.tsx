import { CloseButton } from '@mantine/core';
import { formatCount } from '../../components/number-format';
import { useText } from '../../i18n/text';
import { useTrajectoriesStore } from './store';
import classes from './trajectories.module.css';

/** Which rows are in sight, what is marked, and what the last search did not find. */
export function TableFoot({ range }: { readonly range: string }) {
  const text = useText().trajectories;
  const { mark, notice } = useTrajectoriesStore();
  const unknown = text.unknownVersion;
  return (
    <footer className={classes.foot}>
      <span>{range}</span>
      {mark !== null && (
        <span className={classes.markChip}>
          {text.marked(
            mark.kind === 'group' ? text.markedGroup(mark.groupId) : mark.version < 0 ? unknown : `v${mark.version}`,
          )}
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
