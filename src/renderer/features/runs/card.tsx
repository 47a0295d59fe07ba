import { type ReactNode, useId } from 'react';
import classes from './runs.module.css';

interface Props {
  readonly title: string;
  readonly state?: ReactNode;
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}

/** A card of facts: title and state on one line, what can be done at its end. */
export function Card({ title, state, action, children }: Props) {
  const id = useId();
  return (
    <section className={classes.card} aria-labelledby={id}>
      <header className={classes.cardHead}>
        <h2 id={id} className={classes.cardTitle}>
          {title}
        </h2>
        {state}
        <span className={classes.cardAction}>{action}</span>
      </header>
      <div className={classes.facts}>{children}</div>
    </section>
  );
}
