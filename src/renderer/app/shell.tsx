import { useNavigationStore } from '../components/navigation/navigation-store';
import { CommandPalette } from './command-palette';
import { CrashPage } from './crash-page';
import { ErrorBoundary } from './error-boundary';
import { FirstRunLine } from './first-run-line';
import { KeysDialog } from './keys-dialog';
import { OwnModelDialog } from './own-model-dialog';
import { pages } from './pages';
import { Rail } from './rail';
import classes from './shell.module.css';
import { StatusBar } from './status-bar';
import { TroubleBar } from './trouble-bar';
import { useShellActions } from './use-shell-actions';
import { useTrouble } from './use-trouble';

/** The frame around every screen: rail, status bar, lines of trouble. */
export function Shell() {
  useShellActions();
  const trouble = useTrouble();
  const screen = useNavigationStore((state) => state.screen);
  const { Page } = pages[screen];
  return (
    <div className={classes.frame}>
      <Rail />
      <StatusBar trouble={trouble} />
      <div className={classes.lines}>
        <TroubleBar trouble={trouble} />
        {trouble.length === 0 ? <FirstRunLine /> : null}
      </div>
      {/* A scroller of its own for each screen: another one begins at its top, not where the last one was left. */}
      <main key={screen} className={classes.screen} data-testid={`screen-${screen}`}>
        <ErrorBoundary resetKey={screen} fallback={(error, again) => <CrashPage error={error} onAgain={again} />}>
          <Page />
        </ErrorBoundary>
      </main>
      <CommandPalette />
      <KeysDialog />
      <OwnModelDialog />
    </div>
  );
}
