import { Modal } from '@mantine/core';
import type { Action } from '../components/actions/action';
import { useActionStore } from '../components/actions/action-store';
import { KeyHint } from '../components/actions/key-hint';
import { useNavigationStore } from '../components/navigation/navigation-store';
import { useText } from '../i18n/text';
import classes from './palette.module.css';
import { useShellStore } from './shell-store';

/** The `?` sheet: keys of this screen, then the keys that work everywhere. */
export function KeysDialog() {
  const text = useText().shell;
  const opened = useShellStore(({ dialog }) => dialog === 'keys');
  const current = useNavigationStore((state) => state.screen);
  const { screen, everywhere } = useActionStore();
  return (
    <Modal
      opened={opened}
      onClose={() => useShellStore.setState({ dialog: null })}
      title={text.keys.title}
      size={560}
      closeButtonProps={{ 'aria-label': text.keys.close }}
    >
      <div className={classes.sheet} data-testid="keys">
        <KeyList title={text.screens[current]} actions={screen} />
        <KeyList title={text.keys.everywhere} actions={everywhere} />
      </div>
    </Modal>
  );
}

function KeyList({ title, actions }: { readonly title: string; readonly actions: readonly Action[] }) {
  const withKeys = actions.filter(({ keys }) => keys !== undefined && keys.length > 0);
  if (withKeys.length === 0) return null;
  return (
    <section>
      <h3 className={classes.sheetTitle}>{title}</h3>
      <dl className={classes.keyList}>
        {withKeys.map(({ id, label, keys }) => (
          <div key={id} className={classes.keyRow}>
            <dt>{label}</dt>
            <dd>
              {keys?.map((key) => (
                <KeyHint key={key} keyCode={key} />
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
