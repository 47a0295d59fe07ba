import type { Trouble } from '../../shared/wire/rl';

/**
 * What is wrong right now, one line per kind, for the status bar.
 *
 * A kind that is reported again replaces its line; a kind that is cleared disappears.
 */
export class TroubleBoard {
  readonly #lines = new Map<string, Trouble>();

  /** @param onChange - called after every change, never for a repetition */
  constructor(private readonly onChange: () => void = () => undefined) {}

  report(trouble: Trouble): void {
    const known = this.#lines.get(trouble.kind);
    if (known?.message === trouble.message && known.advice === trouble.advice) return;
    this.#lines.set(trouble.kind, trouble);
    this.onChange();
  }

  clear(kind: string): void {
    if (this.#lines.delete(kind)) this.onChange();
  }

  /** In the order they were first reported. */
  list(): Trouble[] {
    return [...this.#lines.values()];
  }
}
