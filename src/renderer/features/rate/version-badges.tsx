import type { VersionRun } from '../../../shared/domain/version-runs';
import { Hint } from '../../components/hint';
import { useText } from '../../i18n/text';
import { useColorScheme } from '../../theme/use-color-scheme';
import { versionColor } from '../../theme/version-ramp';
import classes from './answer.module.css';

interface Props {
  readonly runs: readonly VersionRun[];
  readonly hidden: boolean;
}

/** Which versions sampled an answer, in the order they did: a swatch and the number. */
export function VersionBadges({ runs, hidden }: Props) {
  const text = useText().rate;
  const scheme = useColorScheme();
  if (hidden) return <span className={classes.versionHidden}>{text.versionHidden}</span>;
  return runs.map(([version, length], index) => (
    // A run's place is its identity: runs are only appended.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <Hint key={index} label={`${text.versions} ${version} · ${text.tokens(length)}`}>
      <span className={classes.version} data-testid="answer-version" data-version={version}>
        <span className={classes.swatch} style={{ background: versionColor(version, scheme) }} />v{version}
      </span>
    </Hint>
  ));
}
