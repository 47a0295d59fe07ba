import { Button, CloseButton } from '@mantine/core';
import { WarnIcon } from '../components/icons/icons';
import { openScreen } from '../components/navigation/navigation-store';
import { useClients } from '../data/clients';
import { useRestartProcess } from '../data/shared-queries';
import { useText } from '../i18n/text';
import classes from './shell.module.css';
import { useShellStore } from './shell-store';
import type { TroubleLine, TroubleRemedy } from './trouble';

/** Each trouble as a coloured line: cause, advice, and the button that does it. */
export function TroubleBar({ trouble }: { readonly trouble: readonly TroubleLine[] }) {
  const text = useText().shell.trouble;
  const hidden = useShellStore(({ hiddenTrouble }) => hiddenTrouble);
  const { desktop } = useClients();
  const restart = useRestartProcess();
  const shown = trouble.filter(({ kind }) => !hidden.includes(kind));
  const remedies: Readonly<Record<TroubleRemedy, { readonly word: string; readonly run: () => void }>> = {
    'restart-engine': { word: text.restartEngine, run: () => restart.mutate('engine') },
    'restart-trainer': { word: text.restartTrainer, run: () => restart.mutate('trainer') },
    'show-data': { word: text.showData, run: () => void desktop.invoke('path-show', { what: 'data' }) },
    'show-dump': { word: text.showDump, run: () => void desktop.invoke('path-show', { what: 'dump' }) },
    settings: { word: text.openSettings, run: () => openScreen('settings') },
    training: { word: text.openTraining, run: () => openScreen('runs') },
  };
  return shown.slice(0, 2).map(({ kind, message, advice, remedy }) => (
    <div key={kind} className={classes.trouble} role="alert" data-testid="trouble" data-kind={kind}>
      <span className={classes.troubleIcon}>
        <WarnIcon />
      </span>
      <span className={classes.troubleText}>
        <strong>{message}</strong> {advice}
      </span>
      {shown.length > 2 ? <span>{text.more(shown.length - 2)}</span> : null}
      <Button size="compact-xs" data-testid="trouble-action" onClick={remedies[remedy].run}>
        {remedies[remedy].word}
      </Button>
      <CloseButton
        size="xs"
        aria-label={text.hide}
        onClick={() => useShellStore.setState({ hiddenTrouble: [...hidden, kind] })}
      />
    </div>
  ));
}
