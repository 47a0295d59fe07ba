/** Collects changes to one thing and applies them together, at most once per scheduled moment. */
export interface Coalescer<T> {
  add(change: Partial<T>): void;
  /** what is collected and not applied yet */
  pending(): Partial<T>;
  flush(): void;
}

export function createCoalescer<T>(
  apply: (change: Partial<T>) => void,
  schedule: (run: () => void) => void,
): Coalescer<T> {
  let due: Partial<T> | null = null;

  function flush(): void {
    if (due === null) return;
    const change = due;
    due = null;
    apply(change);
  }

  return {
    add(change) {
      if (due === null) schedule(flush);
      due = { ...due, ...change };
    },
    pending: () => due ?? {},
    flush,
  };
}
