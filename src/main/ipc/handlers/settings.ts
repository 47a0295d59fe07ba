import type { Settings } from '../../../shared/ipc/contract';
import type { DraftsFile } from '../../settings/drafts-file';
import { needsRestart } from '../../settings/needs-restart';
import type { SettingsFile } from '../../settings/settings-file';
import type { IpcHandlers } from '../handler';

export interface SettingsPorts {
  readonly settings: SettingsFile;
  /** as they were when the studio started */
  readonly startedWith: Settings;
  readonly drafts: DraftsFile;
  onChange(settings: Settings): void;
}

type SettingsChannel = 'settings-read' | 'settings-write' | 'drafts-read' | 'drafts-write';

/** What a person chose, and what they typed but have not sent. */
export function settingsHandlers(ports: SettingsPorts): Pick<IpcHandlers, SettingsChannel> {
  return {
    'settings-read': () => ports.settings.current(),
    'settings-write': (changes) => {
      const settings = ports.settings.write(changes);
      ports.onChange(settings);
      return { settings, restartNeeded: needsRestart(ports.startedWith, settings) };
    },
    'drafts-read': () => ports.drafts.all(),
    'drafts-write': ({ key, text }) => {
      ports.drafts.write(key, text);
      return undefined;
    },
  };
}
