import { UnstyledButton } from '@mantine/core';
import { keyName } from '../components/actions/key-hint';
import { Hint } from '../components/hint';
import { FoldIcon, UnfoldIcon } from '../components/icons/icons';
import { openScreen, screens, useNavigationStore } from '../components/navigation/navigation-store';
import { useText } from '../i18n/text';
import { pages } from './pages';
import classes from './shell.module.css';
import { useShellStore } from './shell-store';

export function Rail() {
  const text = useText().shell;
  const current = useNavigationStore(({ screen }) => screen);
  const folded = useShellStore(({ railFolded }) => railFolded);
  const foldWord = folded ? text.unfoldRail : text.foldRail;
  return (
    <nav className={classes.rail} aria-label={text.rail} data-folded={folded || undefined}>
      {screens.map((screen, index) => {
        const { Icon } = pages[screen];
        const word = text.screens[screen];
        return (
          <Hint key={screen} label={`${word}  ${keyName(`mod+${index + 1}`)}`} position="right">
            <UnstyledButton
              className={classes.railButton}
              aria-label={word}
              aria-current={screen === current ? 'page' : undefined}
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
