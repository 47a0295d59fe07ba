/** When a child that ended by itself is started again. All times in milliseconds. */
export interface RestartPolicy {
  /** restarts allowed within the window; one more crash gives up */
  readonly maxRestarts: number;
  readonly windowMs: number;
  /** delay before the first, second, … restart of the window; the last one repeats */
  readonly delaysMs: readonly number[];
  /** exit codes that a restart cannot mend (bad flags, bad model) */
  readonly noRestartExitCodes: readonly number[];
  /** exit codes that time mends (a full disk): tried again for ever, in the pace of the last delay */
  readonly patientExitCodes?: readonly number[];
}

/** One unasked end of a child. `code` is null when a signal ended it, or when it never became ready. */
export interface Crash {
  readonly atMs: number;
  readonly code: number | null;
}

export type RestartDecision =
  | { readonly kind: 'restart'; readonly delayMs: number; readonly attempt: number }
  | { readonly kind: 'give-up'; readonly reason: 'exit-code' | 'too-many' };

export const DEFAULT_RESTART_POLICY: RestartPolicy = {
  maxRestarts: 5,
  windowMs: 60_000,
  delaysMs: [1000, 2000, 4000, 8000],
  noRestartExitCodes: [],
};

/**
 * What to do after the newest of `crashes`.
 *
 * @param crashes - oldest first, at least one; those older than the window do not count
 */
export function decideRestart(policy: RestartPolicy, crashes: readonly Crash[]): RestartDecision {
  const newest = crashes[crashes.length - 1];
  if (newest === undefined) throw new Error('decideRestart needs the crash that it is asked about');
  if (newest.code !== null && policy.noRestartExitCodes.includes(newest.code)) {
    return { kind: 'give-up', reason: 'exit-code' };
  }
  const attempt = crashes.filter((crash) => crash.atMs > newest.atMs - policy.windowMs).length;
  const isPatient = newest.code !== null && policy.patientExitCodes?.includes(newest.code) === true;
  if (attempt > policy.maxRestarts && !isPatient) return { kind: 'give-up', reason: 'too-many' };
  const delayMs = policy.delaysMs[Math.min(attempt, policy.delaysMs.length) - 1] ?? 0;
  return { kind: 'restart', delayMs, attempt };
}
