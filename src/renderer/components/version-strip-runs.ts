import type { VersionRun } from '../../shared/domain/version-runs';

/** One run of a version strip with its place among the output tokens; positions count from 1, both ends included. */
export interface PlacedRun {
  readonly version: number;
  readonly from: number;
  readonly to: number;
  readonly length: number;
}

/** Places runs one after the other; runs of length 0 (seen in hand-made files) vanish. */
export function placeRuns(runs: readonly VersionRun[]): PlacedRun[] {
  const placed: PlacedRun[] = [];
  let from = 1;
  for (const [version, length] of runs) {
    if (length > 0) placed.push({ version, from, to: from + length - 1, length });
    from += length;
  }
  return placed;
}

/** Number of output tokens that the runs describe. */
export const runTokens = (runs: readonly VersionRun[]): number => runs.reduce((sum, [, length]) => sum + length, 0);

/**
 * The runs as one CSS gradient with hard stops, to scale: a strip for a table row in a single element.
 *
 * @param color - colour of a version
 */
export function stripGradient(runs: readonly VersionRun[], color: (version: number) => string): string {
  const total = Math.max(runTokens(runs), 1);
  const stops = placeRuns(runs).map(({ version, from, to }) => {
    const start = share(from - 1, total);
    return `${color(version)} ${start} ${share(to, total)}`;
  });
  return stops.length === 0 ? 'none' : `linear-gradient(to right, ${stops.join(', ')})`;
}

const share = (tokens: number, total: number): string => `${Number(((tokens / total) * 100).toFixed(3))}%`;
