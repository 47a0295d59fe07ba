import { Button } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';
import type { TrajectoryFile } from '../../../shared/wire/trajectory-files';
import { sourceName } from '../../components/navigation/source-name';
import { formatBytes, formatCount } from '../../components/number-format';
import { useOpenTrajectories } from '../../data/trajectory-queries';
import type { Messages } from '../../i18n/en';
import { useReasonWords } from '../../i18n/reason-words';
import { useText } from '../../i18n/text';
import { openBadLines, openSource } from './store';
import classes from './trajectories.module.css';

interface Props {
  readonly files: readonly TrajectoryFile[];
  readonly currentId: string | null;
}

/** The ways to open a dump, in a place that nothing moves, and below them the opened ones and what else is given. */
export function SourceSide({ files, currentId, children }: Props & { readonly children?: ReactNode }) {
  return (
    <aside className={classes.side}>
      <OpenButtons />
      <div className={classes.sideBody}>
        <SourceList files={files} currentId={currentId} />
        {children}
      </div>
    </aside>
  );
}

/** Opened dumps with what is in them. */
function SourceList({ files, currentId }: Props) {
  const text = useText().trajectories;
  return (
    <ul className={classes.sourceList} aria-label={text.sources}>
      {files.map((file) => (
        <li key={file.id} className={classes.source} data-current={file.id === currentId || undefined}>
          <button
            type="button"
            className={classes.sourceButton}
            aria-current={file.id === currentId}
            data-testid="trajectory-source"
            data-kind={file.kind}
            title={file.path}
            onClick={() => openSource(file.id)}
          >
            <span className={classes.sourceName}>{sourceName(file, text.kinds.live)}</span>
            <span className={classes.sourceFacts}>
              {factsOf(file, text).map((fact, index, all) => (
                <Fragment key={fact}>
                  <span>{index < all.length - 1 ? `${fact} ·` : fact}</span>{' '}
                </Fragment>
              ))}
            </span>
          </button>
          {file.bad_lines > 0 && (
            <button
              type="button"
              className={classes.sourceBad}
              title={text.badLinesHint}
              data-testid="bad-lines"
              onClick={() => openBadLines(file.id)}
            >
              {text.badLines(formatCount(file.bad_lines))}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

/** How much there is of a source; a line that has no room for all of them breaks after a dot. */
function factsOf(file: TrajectoryFile, text: Messages['trajectories']): string[] {
  const files = file.kind !== 'file' && file.files > 0 ? [text.files(formatCount(file.files))] : [];
  return [amountOf(file, text), ...files, formatBytes(file.size_bytes)];
}

/** Lines while they are found and read; rows once it is known which lines are none. */
function amountOf({ indexed, records, bad_lines, common }: TrajectoryFile, text: Messages['trajectories']): string {
  if (!indexed) return text.indexing(formatCount(records));
  return common === undefined ? text.lines(formatCount(records)) : text.rows(formatCount(records - bad_lines));
}

function OpenButtons() {
  const text = useText().trajectories;
  const reasonWords = useReasonWords();
  const open = useOpenTrajectories();
  const start = (kind: 'file' | 'folder' | 'sample') =>
    open.mutate(kind, { onSuccess: (file) => file !== null && openSource(file.id) });
  const buttons = [
    ['folder', 'open-folder', text.openFolder],
    ['file', 'open-file', text.openFile],
    ['sample', 'open-sample', text.sampleShort],
  ] as const;
  return (
    <div className={classes.openButtons}>
      {buttons.map(([kind, testId, label]) => (
        <Button
          key={kind}
          size="compact-xs"
          data-testid={testId}
          loading={open.isPending && open.variables === kind}
          disabled={open.isPending}
          title={open.isPending && kind !== 'sample' ? text.opening : undefined}
          onClick={() => start(kind)}
        >
          {label}
        </Button>
      ))}
      {open.isError && (
        <p className={classes.problem} role="alert">
          {text.openFailed(reasonWords(open.error.message))}
        </p>
      )}
    </div>
  );
}
