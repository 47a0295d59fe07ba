import type { Action } from '../components/actions/action';
import { useActionKeys, useActions } from '../components/actions/use-actions';
import { openScreen, screens } from '../components/navigation/navigation-store';
import { useSettings, useWriteSettings } from '../data/shared-queries';
import { useLanguage, useText } from '../i18n/text';
import { useShellStore } from './shell-store';
import { nextTheme } from './status-bar';

/** What can be done on every screen. */
export function useShellActions(): void {
  const text = useText().shell;
  const language = useLanguage();
  const { theme } = useSettings();
  const { mutate } = useWriteSettings();
  const dialog = useShellStore((state) => state.dialog);
  const jumps = screens.map(
    (screen, index): Action => ({
      id: `open-${screen}`,
      label: text.screens[screen],
      keys: [`mod+${index + 1}`],
      whileTyping: true,
      overLayers: true,
      run: () => {
        useShellStore.setState({ dialog: null });
        openScreen(screen);
      },
    }),
  );
  useActions('everywhere', [
    ...jumps,
    {
      id: 'palette',
      label: text.keys.palette,
      keys: ['mod+k'],
      whileTyping: true,
      keyOnly: true,
      overLayers: true,
      run: () => toggleDialog('palette'),
    },
    {
      id: 'keys',
      label: text.keys.show,
      keys: ['?'],
      // The key that opened the sheet closes it; another dialog keeps the key to itself.
      overLayers: dialog === 'keys',
      run: () => toggleDialog('keys'),
    },
    { id: 'own-model', label: text.ownModel.title, run: () => useShellStore.setState({ dialog: 'own-model' }) },
    { id: 'theme', label: text.theme.next, run: () => mutate({ theme: nextTheme[theme] }) },
    { id: 'language', label: text.language, run: () => mutate({ language: language === 'en' ? 'zh' : 'en' }) },
    {
      id: 'rail',
      label: `${text.foldRail} / ${text.unfoldRail}`,
      run: () => useShellStore.setState(({ railFolded }) => ({ railFolded: !railFolded })),
    },
  ]);
  useActionKeys();
}

function toggleDialog(wanted: 'palette' | 'keys'): void {
  useShellStore.setState(({ dialog }) => ({ dialog: dialog === wanted ? null : wanted }));
}
