import { lazy, Suspense } from 'react';
import classes from './code-pane.module.css';
import type { CodePaneProps } from './code-pane-props';

// Monaco is two thirds of the bundle: it is fetched when a code view is first shown, never at the start.
const MonacoPane = lazy(async () => ({ default: (await import('./monaco-pane')).MonacoPane }));

/** Read-only code with search, folding and selection. */
export function CodePane(props: CodePaneProps) {
  return (
    <div className={classes.pane} data-testid="code-pane">
      <Suspense fallback={<p className={classes.loading}>{props.loading}</p>}>
        <MonacoPane {...props} />
      </Suspense>
    </div>
  );
}
