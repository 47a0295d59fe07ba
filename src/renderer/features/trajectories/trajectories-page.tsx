import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { clearPlace, useNavigationStore } from '../../components/navigation/navigation-store';
import { useSourceStore } from '../../components/navigation/source-store';
import { readTrajectoryPlace, type TrajectoryPlace } from '../../components/navigation/trajectory-place';
import { useClients } from '../../data/clients';
import { problemOf } from '../../data/gateway-problem';
import { trajectoryFilesQuery } from '../../data/trajectory-queries';
import { useProblemWords } from '../../i18n/reason-words';
import { useText } from '../../i18n/text';
import { EmptySource } from './empty-source';
import { SourceBrowser } from './source-browser';
import { SourceSide } from './source-list';
import { type Mark, openBadLines, openSource } from './store';
import classes from './trajectories.module.css';

/** Dumps on the left, their rows in the middle, one row whole on the right. */
export function TrajectoriesPage() {
  const text = useText().trajectories;
  const words = useProblemWords();
  const { data: files, error, refetch } = useQuery(trajectoryFilesQuery(useClients()));
  const chosen = useSourceStore((state) => state.fileId);
  useAskedPlace();
  if (files === undefined) {
    return (
      <div className={classes.waiting}>
        {error === null ? (
          <p>{text.loadingRow}</p>
        ) : (
          <p role="alert" className={classes.problem}>
            {text.sourcesFailed(words(problemOf(error)))}{' '}
            <Button size="compact-xs" onClick={() => void refetch()}>
              {text.again}
            </Button>
          </p>
        )}
      </div>
    );
  }
  const file = files.find(({ id }) => id === chosen) ?? files[0] ?? null;
  const isEmpty = file === null || (file.indexed && file.records === 0 && file.bad_lines === 0);
  return (
    <div className={classes.container}>
      {isEmpty ? (
        <div className={classes.page}>
          <SourceSide files={files} currentId={file?.id ?? null} />
          <EmptySource file={file} />
        </div>
      ) : (
        <SourceBrowser key={file.id} file={file} files={files} />
      )}
    </div>
  );
}

/** Another screen sent a person here for one source, perhaps for certain rows of it. */
function useAskedPlace(): void {
  const place = useNavigationStore((state) => state.place);
  useEffect(() => {
    const asked = readTrajectoryPlace(place);
    if (asked === null) return;
    openSource(asked.fileId, askedMark(asked));
    if (asked.badLines === true) openBadLines(asked.fileId);
    clearPlace();
  }, [place]);
}

function askedMark({ version, groupId, rewards }: TrajectoryPlace): Mark | null {
  if (version !== undefined) return { kind: 'version', version };
  if (groupId !== undefined) return { kind: 'group', groupId };
  if (rewards !== undefined) return { kind: 'rewards', from: rewards[0], to: rewards[1], closed: rewards[2] };
  return null;
}
