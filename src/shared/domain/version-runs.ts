/** `[version, length]`, length ≥ 1; adjacent runs differ in version. AReaL's `version_rle`. */
export type VersionRun = readonly [version: number, length: number];

/**
 * Run-length form of per-token versions.
 *
 * @param versions - one integer per token
 * @returns runs whose lengths sum to `versions.length`; empty for an empty input
 */
export function encodeVersionRuns(versions: readonly number[]): VersionRun[] {
  const runs: [number, number][] = [];
  for (const version of versions) {
    const last = runs[runs.length - 1];
    if (last !== undefined && last[0] === version) last[1] += 1;
    else runs.push([version, 1]);
  }
  return runs;
}

/** Per-token versions of a run-length form; the inverse of {@link encodeVersionRuns}. */
export function decodeVersionRuns(runs: readonly VersionRun[]): number[] {
  const versions: number[] = [];
  for (const [version, length] of runs) for (let i = 0; i < length; i += 1) versions.push(version);
  return versions;
}

/** Smallest (head) and largest (tail) version of the runs; −1 for both when there is no output token. */
export function headAndTail(runs: readonly VersionRun[]): { readonly head: number; readonly tail: number } {
  if (runs.length === 0) return { head: -1, tail: -1 };
  const versions = runs.map(([version]) => version);
  return { head: Math.min(...versions), tail: Math.max(...versions) };
}
