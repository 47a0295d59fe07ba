import { Button } from '@mantine/core';
import { Fragment } from 'react';
import type { TrajectoryFile } from '../../../shared/wire/trajectory-files';
import { sourceName } from '../../components/navigation/source-name';
import { formatBytes, formatCount } from '../../components/number-format';
import { useOpenTrajectories } from '../../data/trajectory-queries';
import type { Messages } from '../../i18n/en';
import { useReasonWords } from '../../i18n/reason-words';
import { useText } from '../../i18n/text';
import { openSource } from './store';
import classes from './trajectories.module.css';

interface Props {
  readonly files: readonly TrajectoryFile[];
  readonly currentId: string | null;
}

/** Opened dumps with what is in them, and the three ways to open another. */
export function SourceList({ files, currentId }: Props) {
  const text = useText().trajectories;
  return (
    <section className={classes.sources} aria-label={text.sources}>
      <ul className={classes.sourceList}>
        {files.map((file) => (
          <li key={file.id}>
            <button
              type="button"
              className={classes.source}
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
              {file.bad_lines > 0 && (
                <span className={classes.sourceBad}>{text.badLines(formatCount(file.bad_lines))}</span>
              )}
            </button>
          </li>
        ))}
      </ul>
      <OpenButtons />
    </section>
  );
}

/** How much there is of a source; a line that has no room for all of them breaks after a dot. */
function factsOf(file: TrajectoryFile, text: Messages['trajectories']): string[] {
  const rows = (file.indexed ? text.rows : text.indexing)(formatCount(file.records));
  const files = file.kind !== 'file' && file.files > 0 ? [text.files(formatCount(file.files))] : [];
  return [rows, ...files, formatBytes(file.size_bytes)];
}

export function OpenButtons({ withSample = true }: { readonly withSample?: boolean }) {
  const text = useText().trajectories;
  const reasonWords = useReasonWords();
  const open = useOpenTrajectories();
  const start = (kind: 'file' | 'folder' | 'sample') =>
    open.mutate(kind, { onSuccess: (file) => file !== null && openSource(file.id) });
  return (
    <div className={classes.openButtons}>
      <Button size="compact-xs" data-testid="open-folder" disabled={open.isPending} onClick={() => start('folder')}>
        {text.openFolder}
      </Button>
      <Button size="compact-xs" data-testid="open-file" disabled={open.isPending} onClick={() => start('file')}>
        {text.openFile}
      </Button>
      {withSample && (
        <Button size="compact-xs" data-testid="open-sample" disabled={open.isPending} onClick={() => start('sample')}>
          {text.sampleShort}
        </Button>
      )}
      {open.isPending && open.variables !== 'sample' && <p className={classes.faint}>{text.opening}</p>}
      {open.isError && (
        <p className={classes.problem} role="alert">
          {text.openFailed(reasonWords(open.error.message))}
        </p>
      )}
    </div>
  );
}
