import { Button } from '@mantine/core';
import { useText } from '../../i18n/text';
import { DetailPane } from './detail-pane';
import { type RowPlace, samePlace, useTrajectoriesStore } from './store';
import classes from './trajectories.module.css';

interface Props {
  readonly pinned: RowPlace;
  readonly selected: RowPlace;
}

/** The pinned row beside the selected one; j and k still move the selection. */
export function ComparePane({ pinned, selected }: Props) {
  const text = useText().trajectories;
  return (
    <div className={classes.compare} data-testid="trajectory-compare">
      <header className={classes.compareHead}>
        <h2 className={classes.compareTitle}>{text.compareTitle}</h2>
        <Button
          size="compact-xs"
          data-testid="compare-close"
          onClick={() => useTrajectoriesStore.setState({ comparing: false })}
        >
          {text.closeCompare}
        </Button>
      </header>
      <div className={classes.compareColumns}>
        <DetailPane fileId={pinned.fileId} index={pinned.index} title={text.pinnedWord} />
        {samePlace(pinned, selected) ? (
          <p className={classes.compareSame}>{text.compareSame}</p>
        ) : (
          <DetailPane fileId={selected.fileId} index={selected.index} title={text.selectedWord} />
        )}
      </div>
    </div>
  );
}
