import { useQueryClient } from '@tanstack/react-query';
import { openScreen } from '../components/navigation/navigation-store';
import { useClients } from '../data/clients';
import { unwrap } from '../data/query-client';
import { queryKeys } from '../data/query-keys';
import { useText } from '../i18n/text';
import type { TroubleRemedy } from './trouble';

export interface Remedy {
  /** on the button */
  readonly word: string;
  /** rejects with why it could not be done */
  readonly run: () => Promise<void>;
}

/** What the button of a line of trouble says and does. */
export function useRemedies(): Readonly<Record<TroubleRemedy, Remedy>> {
  const text = useText().shell.trouble;
  const { desktop, gateway } = useClients();
  const client = useQueryClient();
  const restart = (name: 'engine' | 'trainer') => async () => desktop.invoke('process-restart', { name });
  const show = (what: 'data' | 'dump' | 'logs') => async () => desktop.invoke('path-show', { what });
  return {
    'restart-engine': { word: text.restartEngine, run: restart('engine') },
    'restart-trainer': { word: text.restartTrainer, run: restart('trainer') },
    'show-data': { word: text.showData, run: show('data') },
    'show-dump': { word: text.showDump, run: show('dump') },
    'show-logs': { word: text.showLogs, run: show('logs') },
    settings: { word: text.openSettings, run: async () => openScreen('settings') },
    training: { word: text.openTraining, run: async () => openScreen('runs') },
    'note-recovery': {
      word: text.noted,
      run: async () => {
        const noted = await gateway.noteRecovery();
        await client.invalidateQueries({ queryKey: queryKeys.status });
        // Another window was faster: it is noted, which is all that was wanted.
        if (!noted.ok && noted.error.kind === 'refused' && noted.error.status === 404) return;
        unwrap(noted);
      },
    },
  };
}
