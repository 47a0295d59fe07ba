import type { StudioTrouble } from '../shared/ipc/contract';

/** What is wrong outside the gateway's reach, one entry per kind; a kind reported again replaces the earlier one. */
export class TroubleList {
  readonly #byKind = new Map<string, StudioTrouble>();

  constructor(private readonly onChange: (list: readonly StudioTrouble[]) => void) {}

  report(trouble: StudioTrouble): void {
    if (this.#byKind.get(trouble.kind)?.message === trouble.message) return;
    this.#byKind.set(trouble.kind, trouble);
    this.onChange(this.list());
  }

  clear(kind: string): void {
    if (this.#byKind.delete(kind)) this.onChange(this.list());
  }

  list(): StudioTrouble[] {
    return [...this.#byKind.values()];
  }
}
