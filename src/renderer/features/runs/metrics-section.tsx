import { useQuery } from '@tanstack/react-query';
import type { TrainingMetrics } from '../../../shared/wire/rl';
import { MetricChart } from '../../components/metric-chart/metric-chart';
import { openScreen } from '../../components/navigation/navigation-store';
import { writeTrajectoryPlace } from '../../components/navigation/trajectory-place';
import { formatCount } from '../../components/number-format';
import { useClients } from '../../data/clients';
import { trajectoryFilesQuery } from '../../data/trajectory-queries';
import { useText } from '../../i18n/text';
import { AlarmList } from './alarm-list';
import { panelsOf } from './metric-panels';
import classes from './runs.module.css';

/** One small chart per metric over batches, crosshair shared; above them what the newest batch warns of. */
export function MetricsSection({ batches }: { readonly batches: TrainingMetrics['batches'] }) {
  const { runs, groups } = useText();
  const text = runs.metrics;
  const { data: files } = useQuery(trajectoryFilesQuery(useClients()));
  const live = files?.find(({ kind }) => kind === 'live');
  const { panels, missing } = panelsOf(batches);
  const x = batches.map(({ batch_id }) => batch_id);
  return (
    <section className={classes.section} aria-label={text.title}>
      <h2 className={classes.sectionTitle}>{text.title}</h2>
      {batches.length === 0 ? (
        <p className={classes.detail}>{text.empty}</p>
      ) : (
        <>
          <AlarmList batches={batches} />
          <div className={classes.charts}>
            {panels.map(({ id, keys, fromZero }) => (
              <MetricChart
                key={id}
                name={id}
                title={text.panels[id].title}
                unit={text.panels[id].unit}
                xName={text.x}
                x={x}
                fromZero={fromZero}
                series={keys.map((key) => ({
                  key,
                  name: text.series[key] ?? key,
                  values: batches.map(({ values }) => values[key]),
                }))}
                words={groups.chart}
                describeGaps={(at) => text.gaps(at.map(formatCount).join(', '))}
                hint={text.open}
                syncId="training"
                onOpen={() => {
                  if (live !== undefined) openScreen('trajectories', writeTrajectoryPlace({ fileId: live.id }));
                }}
              />
            ))}
          </div>
          <p className={classes.detail}>
            {text.raw}
            {missing.length > 0 && ` ${text.missing(missing.join(', '))}`}
          </p>
        </>
      )}
    </section>
  );
}
