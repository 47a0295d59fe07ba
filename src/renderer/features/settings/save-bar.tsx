import { Button } from '@mantine/core';
import type { Settings } from '../../../shared/ipc/contract';
import { useActions } from '../../components/actions/use-actions';
import { formatCount } from '../../components/number-format';
import { useWriteSettings } from '../../data/shared-queries';
import { useText } from '../../i18n/text';
import { readDrafts } from './form-fields';
import classes from './settings.module.css';
import { dropDrafts, useSettingsStore } from './store';
import { useUnsavedSettings } from './unsaved';

/** What is not saved yet, and the two things to do with it. */
export function SaveBar({ settings }: { readonly settings: Settings }) {
  const text = useText().settings;
  const { drafts, restartNeeded } = useSettingsStore();
  const write = useWriteSettings();
  const { change, invalid } = readDrafts(settings, drafts);
  const count = useUnsavedSettings();
  const canSave = count > 0 && invalid.length === 0 && !write.isPending;

  function save(): void {
    if (!canSave) return;
    write.mutate(change, {
      onSuccess: (reply) => {
        dropDrafts();
        if (reply.restartNeeded) useSettingsStore.setState({ restartNeeded: true });
      },
    });
  }

  useActions('screen', [
    { id: 'save-settings', label: text.saveAction, keys: ['mod+s'], whileTyping: true, enabled: canSave, run: save },
  ]);

  if (count === 0 && !write.isSuccess && !restartNeeded) return null;
  return (
    <footer className={classes.saveBar}>
      {count > 0 ? (
        <>
          <Button variant="filled" disabled={!canSave} data-testid="settings-save" onClick={save}>
            {write.isPending ? text.saving : text.save}
          </Button>
          <Button data-testid="settings-discard" onClick={dropDrafts}>
            {text.revert}
          </Button>
          <span className={classes.quiet}>{text.changes(formatCount(count))}</span>
        </>
      ) : (
        <span role="status" data-testid="settings-saved" className={restartNeeded ? classes.restart : classes.quiet}>
          {restartNeeded ? text.savedRestart : text.saved}
        </span>
      )}
      {write.isError && (
        <span role="alert" className={classes.failure}>
          {text.saveFailed(write.error.message)}
        </span>
      )}
    </footer>
  );
}
