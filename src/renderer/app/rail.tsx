import { UnstyledButton } from '@mantine/core';
import { keyName } from '../components/actions/key-hint';
import { Hint } from '../components/hint';
import { FoldIcon, UnfoldIcon } from '../components/icons/icons';
import { openScreen, type Screen, screens, useNavigationStore } from '../components/navigation/navigation-store';
import { formatCount } from '../components/number-format';
import { useUnsavedSettings } from '../features/settings';
import { useText } from '../i18n/text';
import { pages } from './pages';
import classes from './shell.module.css';
import { useShellStore } from './shell-store';

export function Rail() {
  const messages = useText();
  const text = messages.shell;
  const current = useNavigationStore(({ screen }) => screen);
  const folded = useShellStore(({ railFolded }) => railFolded);
  const unsaved = useUnsavedSettings();
  const noteOf = (screen: Screen): string | null =>
    screen === 'settings' && unsaved > 0 ? messages.settings.changes(formatCount(unsaved)) : null;
  const foldWord = folded ? text.unfoldRail : text.foldRail;
  return (
    <nav className={classes.rail} aria-label={text.rail} data-folded={folded || undefined}>
      {screens.map((screen, index) => {
        const { Icon } = pages[screen];
        const word = text.screens[screen];
        const note = noteOf(screen);
        const name = note === null ? word : text.noted(word, note);
        return (
          <Hint key={screen} label={`${name}  ${keyName(`mod+${index + 1}`)}`} position="right">
            <UnstyledButton
              className={classes.railButton}
              aria-label={name}
              aria-current={screen === current ? 'page' : undefined}
              data-noted={note === null ? undefined : true}
              data-testid={`rail-${screen}`}
              onClick={() => openScreen(screen)}
            >
              <Icon size={18} />
              {folded ? null : (
                <span className={classes.railWord} data-word={word}>
                  {word}
                </span>
              )}
            </UnstyledButton>
          </Hint>
        );
      })}
      <Hint label={foldWord} position="right">
        <UnstyledButton
          className={classes.railFold}
          aria-label={foldWord}
          data-testid="rail-fold"
          onClick={() => useShellStore.setState({ railFolded: !folded })}
        >
          {folded ? <UnfoldIcon /> : <FoldIcon />}
        </UnstyledButton>
      </Hint>
    </nav>
  );
}
