const WINDOW_MS = 5_000;

/** Tokens per second over the last seconds; 0 when nothing was sampled in them. */
export class ThroughputMeter {
  #marks: { readonly atMs: number; readonly tokens: number }[] = [];

  /** `total` tokens have been sampled since start. */
  mark(atMs: number, total: number): void {
    const last = this.#marks[this.#marks.length - 1];
    if (last !== undefined && atMs - last.atMs < 50) return;
    this.#marks.push({ atMs, tokens: total });
    this.#marks = this.#marks.filter((mark) => atMs - mark.atMs <= WINDOW_MS);
  }

  rate(nowMs: number, total: number): number {
    const first = this.#marks.find((mark) => nowMs - mark.atMs <= WINDOW_MS);
    if (first === undefined || total === first.tokens) return 0;
    return ((total - first.tokens) * 1000) / Math.max(1, nowMs - first.atMs);
  }
}
