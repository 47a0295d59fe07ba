import type { TrajectoryFile } from '../../../shared/wire/trajectory-files';

/** One name for a dump wherever it is shown: the last two parts of its path say enough, the whole one is for a title. */
export function sourceName({ kind, path }: Pick<TrajectoryFile, 'kind' | 'path'>, live: string): string {
  if (kind === 'live') return live;
  const parts = path.split(/[\\/]/).filter((part) => part !== '');
  return parts.slice(-2).join('/') || path;
}
