import { create } from 'zustand';
import type { DraftKey, Drafts } from './form-fields';

interface SettingsStore {
  readonly drafts: Drafts;
  /** something saved waits for a restart */
  readonly restartNeeded: boolean;
}

/** What was typed and not saved; kept while a person looks at other screens. */
export const useSettingsStore = create<SettingsStore>(() => ({ drafts: {}, restartNeeded: false }));

export function setDraft(key: DraftKey, value: string | boolean): void {
  useSettingsStore.setState(({ drafts }) => ({ drafts: { ...drafts, [key]: value } }));
}

export function dropDrafts(): void {
  useSettingsStore.setState({ drafts: {} });
}
