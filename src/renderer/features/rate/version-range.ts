import type { VersionRange } from '../../theme/version-ramp';
import { answersOf, type Block } from './answer';

/** The versions in sight, stretched to the served one, so that a fresh conversation is not all one end of the ramp. */
export function versionRange(blocks: readonly Block[], served: number | null): VersionRange {
  const versions = blocks.flatMap((block) => answersOf(block).flatMap(({ runs }) => runs.map(([version]) => version)));
  const known = [...versions, served ?? -1].filter((version) => version >= 0);
  if (known.length === 0) return { oldest: 0, newest: 0 };
  return { oldest: Math.min(...known), newest: Math.max(...known) };
}
