const WINDOW = 64;
/** Below this many norms a median says little, and only non-finite norms are refused. */
const MIN_NORMS = 5;
const LIMIT = 50;
const MAX_IN_A_ROW = 3;

/** `diverged` = the third refusal in a row: the run cannot go on like this. */
export type GuardVerdict = 'step' | 'skip' | 'diverged';

/** Looks at the gradient's norm before the optimizer does: a broken gradient must not reach the weights. */
export class GradientGuard {
  readonly #norms: number[];
  #refusedInARow = 0;

  /** @param norms - norms of earlier steps, oldest first, as a checkpoint keeps them */
  constructor(norms: readonly number[] = []) {
    this.#norms = norms.slice(-WINDOW);
  }

  /** Norms of the last steps taken, oldest first. */
  get norms(): readonly number[] {
    return this.#norms;
  }

  /** Refuses a norm that is not finite or more than 50 times the running median. */
  judge(norm: number): GuardVerdict {
    const isBroken = !Number.isFinite(norm) || (this.#norms.length >= MIN_NORMS && norm > LIMIT * median(this.#norms));
    if (isBroken) {
      this.#refusedInARow += 1;
      return this.#refusedInARow >= MAX_IN_A_ROW ? 'diverged' : 'skip';
    }
    this.#refusedInARow = 0;
    this.#norms.push(norm);
    if (this.#norms.length > WINDOW) this.#norms.shift();
    return 'step';
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
