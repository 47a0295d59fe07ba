import { Button, CloseButton } from '@mantine/core';
import { openScreen } from '../components/navigation/navigation-store';
import { useStatus } from '../data/shared-queries';
import { useText } from '../i18n/text';
import classes from './shell.module.css';
import { useShellStore } from './shell-store';

/** First start, instead of a wizard: the model already answers, and here are the two other ways to begin. */
export function FirstRunLine() {
  const text = useText().shell.firstRun;
  const dismissed = useShellStore(({ firstRunDismissed }) => firstRunDismissed);
  const status = useStatus().data;
  // Who has trained a version knows the way.
  if (dismissed || status?.served_version == null || (status.trained_version ?? 0) > 0) return null;
  return (
    <div className={classes.firstRun} data-testid="first-run">
      <span className={classes.troubleText}>{text.text(status.model.name)}</span>
      <Button
        size="compact-xs"
        data-testid="first-run-train"
        onClick={() => useShellStore.setState({ dialog: 'own-model' })}
      >
        {text.train}
      </Button>
      <Button size="compact-xs" onClick={() => openScreen('trajectories')}>
        {text.openDump}
      </Button>
      <CloseButton
        size="xs"
        aria-label={text.dismiss}
        data-testid="first-run-dismiss"
        onClick={() => useShellStore.setState({ firstRunDismissed: true })}
      />
    </div>
  );
}
