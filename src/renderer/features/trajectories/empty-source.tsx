import { Button } from '@mantine/core';
import type { TrajectoryFile } from '../../../shared/wire/trajectory-files';
import { openScreen } from '../../components/navigation/navigation-store';
import { formatQuantity } from '../../components/number-format';
import { useStatus } from '../../data/shared-queries';
import { useOpenTrajectories } from '../../data/trajectory-queries';
import { useReasonWords } from '../../i18n/reason-words';
import { useText } from '../../i18n/text';
import { openSource } from './store';
import classes from './trajectories.module.css';

/** What would be here, and the button that fills it. */
export function EmptySource({ file }: { readonly file: TrajectoryFile | null }) {
  const text = useText().trajectories;
  const reasonWords = useReasonWords();
  const open = useOpenTrajectories();
  const batch = useStatus().data?.batch;
  const [title, body] =
    file === null
      ? [text.emptyNone, text.emptyNoneBody]
      : file.kind === 'live'
        ? [text.emptyLive, text.emptyLiveBody(formatQuantity(batch?.size), formatQuantity(batch?.filled))]
        : [text.emptySource, text.emptySourceBody];
  return (
    <div className={classes.empty} data-testid="trajectories-empty">
      <h2 className={classes.emptyTitle}>{title}</h2>
      <p className={classes.emptyBody}>{body}</p>
      <div className={classes.emptyButtons}>
        {file?.kind === 'live' && (
          <Button variant="filled" onClick={() => openScreen('rate')}>
            {text.goRate}
          </Button>
        )}
        <Button
          loading={open.isPending}
          data-testid="empty-open-sample"
          onClick={() => open.mutate('sample', { onSuccess: (opened) => opened !== null && openSource(opened.id) })}
        >
          {text.openSample}
        </Button>
      </div>
      {open.isError && (
        <p className={classes.problem} role="alert">
          {text.openFailed(reasonWords(open.error.message))}
        </p>
      )}
    </div>
  );
}
