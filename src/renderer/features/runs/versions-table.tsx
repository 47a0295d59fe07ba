import { useQuery } from '@tanstack/react-query';
import type { Versions } from '../../../shared/wire/rl';
import { openScreen } from '../../components/navigation/navigation-store';
import { writeTrajectoryPlace } from '../../components/navigation/trajectory-place';
import { formatCount } from '../../components/number-format';
import { RewardBar } from '../../components/reward-bar';
import { useClients } from '../../data/clients';
import { trajectoryFilesQuery } from '../../data/trajectory-queries';
import { useLocale, useText } from '../../i18n/text';
import { useColorScheme } from '../../theme/use-color-scheme';
import { versionColor } from '../../theme/version-ramp';
import classes from './runs.module.css';

interface Props {
  readonly versions: Versions['versions'];
  readonly servedVersion: number | null;
}

/** Every version there has been, newest first; a click goes to the rows it sampled. */
export function VersionsTable({ versions, servedVersion }: Props) {
  const text = useText().runs.versions;
  const scheme = useColorScheme();
  const locale = useLocale();
  const { data: files } = useQuery(trajectoryFilesQuery(useClients()));
  const live = files?.find(({ kind }) => kind === 'live');
  const limit = Math.max(...versions.map(({ reward_mean: mean }) => Math.abs(mean ?? 0)), 1);
  const time = new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23' });
  const moment = (iso: string | null): string | null => (iso === null ? null : time.format(new Date(iso)));
  return (
    <section className={classes.section} aria-label={text.title}>
      <h2 className={classes.sectionTitle}>{text.title}</h2>
      {versions.length <= 1 && <p className={classes.detail}>{text.empty}</p>}
      {versions.length > 0 && (
        <div className={classes.tableFrame}>
          <table className={classes.table}>
            <thead>
              <tr>
                <th>{text.version}</th>
                <th data-align="end">{text.batch}</th>
                <th>{text.trainedAt}</th>
                <th>{text.servedAt}</th>
                <th data-align="end">{text.trajectories}</th>
                <th>{text.reward}</th>
              </tr>
            </thead>
            <tbody>
              {[...versions].reverse().map((row) => (
                <tr key={row.version} data-testid="versions-row" data-version={row.version}>
                  <td>
                    <button
                      type="button"
                      className={classes.versionLink}
                      title={text.open}
                      disabled={live === undefined}
                      onClick={() =>
                        live !== undefined &&
                        openScreen('trajectories', writeTrajectoryPlace({ fileId: live.id, version: row.version }))
                      }
                    >
                      <span className={classes.swatch} style={{ background: versionColor(row.version, scheme) }} />v
                      {row.version}
                    </button>
                    {row.version === servedVersion && <span className={classes.served}>{text.servedNow}</span>}
                  </td>
                  <td data-align="end">{row.batch_id === null ? '–' : formatCount(row.batch_id)}</td>
                  <td>{moment(row.trained_at) ?? (row.batch_id === null ? text.seed : '–')}</td>
                  <td>{moment(row.served_at) ?? (row.version === servedVersion ? '–' : text.notServed)}</td>
                  <td data-align="end">{row.batch_id === null ? '–' : formatCount(row.trajectories)}</td>
                  <td>
                    <RewardBar reward={row.reward_mean} limit={limit} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
