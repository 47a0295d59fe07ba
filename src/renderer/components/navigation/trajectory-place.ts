/** Where on the Trajectories screen another screen wants to go: a source, and which of its rows to mark. */
export interface TrajectoryPlace {
  readonly fileId: string;
  /** head version */
  readonly version?: number;
  readonly groupId?: string;
  /** its list of bad lines is wanted */
  readonly badLines?: true;
  /** lower edge, upper edge, and whether the upper edge itself belongs to it */
  readonly rewards?: readonly [from: number, to: number, closed: boolean];
}

/** The place as the navigation store's one string. */
export function writeTrajectoryPlace({ fileId, version, groupId, rewards, badLines }: TrajectoryPlace): string {
  const parts = new URLSearchParams({ file: fileId });
  if (version !== undefined) parts.set('version', String(version));
  if (groupId !== undefined) parts.set('group', groupId);
  if (rewards !== undefined) parts.set('rewards', JSON.stringify(rewards));
  if (badLines === true) parts.set('bad-lines', '1');
  return parts.toString();
}

/** The inverse; null for a place that means something else. */
export function readTrajectoryPlace(place: string | null): TrajectoryPlace | null {
  const parts = new URLSearchParams(place ?? '');
  const fileId = parts.get('file');
  if (fileId === null) return null;
  const version = parts.get('version');
  const groupId = parts.get('group');
  const rewards = readRange(parts.get('rewards'));
  return {
    fileId,
    ...(version === null || !/^-?\d+$/.test(version) ? {} : { version: Number(version) }),
    ...(groupId === null ? {} : { groupId }),
    ...(rewards === null ? {} : { rewards }),
    ...(parts.get('bad-lines') === '1' ? { badLines: true } : {}),
  };
}

function readRange(text: string | null): TrajectoryPlace['rewards'] | null {
  if (text === null) return null;
  const parts = /^\[(-?[\d.e+-]+),(-?[\d.e+-]+),(true|false)\]$/.exec(text);
  if (parts === null) return null;
  const [from, to] = [Number(parts[1]), Number(parts[2])];
  return Number.isFinite(from) && Number.isFinite(to) ? [from, to, parts[3] === 'true'] : null;
}
