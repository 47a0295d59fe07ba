import { useQuery } from '@tanstack/react-query';
import { useClients } from '../../data/clients';
import { settingsQuery } from '../../data/shared-queries';
import { readDrafts } from './form-fields';
import { useSettingsStore } from './store';

/** How many settings a person has changed and not saved, half-written ones included. */
export function useUnsavedSettings(): number {
  const drafts = useSettingsStore((state) => state.drafts);
  const { data: settings } = useQuery(settingsQuery(useClients()));
  if (settings === undefined) return 0;
  const { change, invalid } = readDrafts(settings, drafts);
  return Object.keys(change).length + invalid.length;
}
