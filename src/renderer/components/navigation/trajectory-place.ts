/** Where on the Trajectories screen another screen wants to go: a source, and which of its rows to mark. */
export interface TrajectoryPlace {
  readonly fileId: string;
  readonly version?: number;
  readonly groupId?: string;
}

/** The place as the navigation store's one string. */
export function writeTrajectoryPlace({ fileId, version, groupId }: TrajectoryPlace): string {
  const parts = new URLSearchParams({ file: fileId });
  if (version !== undefined) parts.set('version', String(version));
  if (groupId !== undefined) parts.set('group', groupId);
  return parts.toString();
}

/** The inverse; null for a place that means something else. */
export function readTrajectoryPlace(place: string | null): TrajectoryPlace | null {
  const parts = new URLSearchParams(place ?? '');
  const fileId = parts.get('file');
  if (fileId === null) return null;
  const version = parts.get('version');
  const groupId = parts.get('group');
  return {
    fileId,
    ...(version === null || !/^-?\d+$/.test(version) ? {} : { version: Number(version) }),
    ...(groupId === null ? {} : { groupId }),
  };
}
