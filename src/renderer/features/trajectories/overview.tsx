import { useQuery } from '@tanstack/react-query';
import type { CSSProperties } from 'react';
import type { GroupStatistics } from '../../../shared/wire/statistics';
import { FacetHistogram } from '../../components/facet-histogram';
import { Hint } from '../../components/hint';
import { formatCount, formatSigned, signedAlike } from '../../components/number-format';
import { useClients } from '../../data/clients';
import { dumpStatisticsQuery } from '../../data/trajectory-queries';
import { useText } from '../../i18n/text';
import { rewardColor } from '../../theme/reward-ramp';
import { useColorScheme } from '../../theme/use-color-scheme';
import { versionColor } from '../../theme/version-ramp';
import { type Mark, toggleMark } from './store';
import classes from './trajectories.module.css';

interface Props {
  readonly fileId: string;
  readonly mark: Mark | null;
}

/** Rewards and versions of the whole source, as the gateway counted them. */
export function Overview({ fileId, mark }: Props) {
  const text = useText().trajectories;
  const scheme = useColorScheme();
  const { data } = useQuery(dumpStatisticsQuery(useClients(), fileId));
  if (data === undefined || data.trajectories === 0) return null;
  const limit = rewardLimitOf(data);
  // Each row lays itself out: the counts stand in one column only if the means take the same room in all.
  const longestMean = Math.max(...data.by_version.map(({ mean }) => formatSigned(mean).length), 0);
  const ends = [data.overall.min ?? 0, data.overall.max ?? 0] as const;
  const writeEnd = signedAlike(ends);
  const write = signedAlike(data.reward_histogram.flatMap(({ from, to }) => [from, to]));
  return (
    <section className={classes.overview} aria-label={text.overview}>
      {data.reward_histogram.length > 0 && (
        <>
          <h3 className={classes.facetTitle}>{text.rewards}</h3>
          <FacetHistogram
            label={text.rewards}
            onOpen={(index) => {
              const bucket = data.reward_histogram[index];
              if (bucket === undefined) return;
              const closed = bucket.from === bucket.to || index === data.reward_histogram.length - 1;
              toggleMark({ kind: 'rewards', from: bucket.from, to: bucket.to, closed });
            }}
            bars={data.reward_histogram.map(({ from, to, count }) => ({
              pressed: mark?.kind === 'rewards' && mark.from === from && mark.to === to,
              count,
              color: rewardColor((from + to) / 2, scheme, limit),
              title: `${text.rewardRange(write(from), write(to))}: ${formatCount(count)}`,
            }))}
            from={writeEnd(ends[0])}
            to={writeEnd(ends[1])}
          />
        </>
      )}
      <Hint label={text.versionsHint} position="right">
        <h3 className={classes.facetTitle} data-hint>
          {text.versions}
        </h3>
      </Hint>
      <ul
        aria-label={text.versionsHint}
        className={classes.versionFacets}
        // A custom property is not in the style type.
        style={{ '--longest-mean': `${longestMean}ch` } as CSSProperties}
      >
        {[...data.by_version].reverse().map(({ version, count, mean }) => {
          const name = version < 0 ? text.unknownVersion : `v${version}`;
          const pressed = mark?.kind === 'version' && mark.version === version;
          return (
            <li key={version}>
              <button
                type="button"
                className={classes.versionFacet}
                aria-pressed={pressed}
                aria-label={text.versionRow(name, formatCount(count), formatSigned(mean))}
                title={text.markHint}
                data-testid="version-facet"
                onClick={() => toggleMark({ kind: 'version', version })}
              >
                <span className={classes.swatch} style={{ background: versionColor(version, scheme) }} />
                <span className={classes.versionName}>{name}</span>
                <span className={classes.versionCount}>{formatCount(count)}</span>
                <span className={classes.versionMean}>{formatSigned(mean)}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {data.mixed_version > 0 && <p className={classes.faint}>{text.mixed(formatCount(data.mixed_version))}</p>}
    </section>
  );
}

/** The magnitude at which a reward bar is full: the largest of the source, so that bars compare within it. */
export function rewardLimitOf(statistics: GroupStatistics | undefined): number {
  const { min, max } = statistics?.overall ?? { min: null, max: null };
  return Math.max(Math.abs(min ?? 0), Math.abs(max ?? 0)) || 1;
}
