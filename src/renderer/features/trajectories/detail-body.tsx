import { useCallback, useMemo, useState } from 'react';
import type { TrajectoryRow } from '../../../shared/wire/trajectory-files';
import type { TrajectoryRecord } from '../../../shared/wire/trajectory-record';
import { CodePane } from '../../components/code-pane/code-pane';
import { formatCount, formatQuantity } from '../../components/number-format';
import { prettyJson } from '../../components/pretty-json';
import { VersionStrip } from '../../components/token-strip';
import { placeRuns, runTokens } from '../../components/version-strip-runs';
import { useText } from '../../i18n/text';
import classes from './detail.module.css';
import { DetailFacts } from './detail-facts';
import { DetailSegments } from './detail-segments';
import { DetailText } from './detail-text';
import { knownRuns } from './row-fields';
import { useTrajectoriesStore } from './store';
import { expandText, type TokenPiece } from './token-expansion';

interface Props {
  readonly row: TrajectoryRow;
  readonly record: TrajectoryRecord;
}

/** Facts, strip and the chosen view of one row. Pointing at a token makes the line under the strip speak of it. */
export function DetailBody({ row, record }: Props) {
  const text = useText().trajectories;
  const tab = useTrajectoriesStore((state) => state.tab);
  const [pointed, setPointed] = useState<number | null>(null);
  const onPoint = useCallback((position: number | null) => setPointed(position), []);
  const expanded = useMemo(() => expandText(record), [record]);
  const tokens = useMemo(() => expanded.blocks.flatMap((block) => block.tokens ?? []), [expanded]);
  const runs = knownRuns(record);
  const versionName = (version: number): string => (version < 0 ? text.versionUnknown : `v${version}`);
  const describeToken = ({ position, version, logprob, tokenId }: TokenPiece): string =>
    [
      text.token(formatCount(position), versionName(version)),
      logprob === null ? null : text.logprob(formatQuantity(logprob)),
      tokenId === null ? null : text.tokenId(String(tokenId)),
    ]
      .filter((part) => part !== null)
      .join(' · ');
  const token = pointed === null ? undefined : tokens[pointed - 1];
  return (
    <>
      <DetailFacts row={row} record={record} />
      {runs.length === 0 ? (
        <p className={classes.note} data-testid="version-unknown">
          {text.noRuns}
        </p>
      ) : (
        <VersionStrip
          runs={runs}
          label={text.strip}
          describeRun={({ version, from, to }) =>
            text.stripRun(versionName(version), formatCount(from), formatCount(to))
          }
          summary={
            token === undefined
              ? text.stripSummary(formatCount(runTokens(runs)), formatCount(placeRuns(runs).length))
              : describeToken(token)
          }
        />
      )}
      {tab === 'text' && <DetailText expanded={expanded} onPoint={onPoint} />}
      {tab === 'segments' && <DetailSegments record={record} expanded={expanded} />}
      {tab === 'json' && <JsonView record={record} />}
    </>
  );
}

function JsonView({ record }: { readonly record: TrajectoryRecord }) {
  const text = useText().trajectories;
  const json = useMemo(() => prettyJson(record), [record]);
  return (
    <div className={classes.code}>
      <CodePane text={json} language="json" label={text.tabs.json} loading={text.jsonLoading} />
    </div>
  );
}
