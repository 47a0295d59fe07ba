import type { VersionRun } from '../../../shared/domain/version-runs';
import type { TextBlock } from './token-expansion';

/** A block with its place among all tokens of the row (from 1) and the runs that sampled it. */
export interface PlacedSegment {
  readonly block: TextBlock;
  readonly from: number;
  readonly to: number;
  /** empty for prompt and context, and where the dump does not say */
  readonly runs: readonly VersionRun[];
}

/** Deals the row's version runs out to its generated blocks, in order; runs count generated tokens only. */
export function placeSegments(blocks: readonly TextBlock[], runs: readonly VersionRun[]): PlacedSegment[] {
  const left = runs.map(([version, length]) => ({ version, length }));
  let from = 1;
  return blocks.map((block) => {
    const place = {
      block,
      from,
      to: from + block.length - 1,
      runs: block.role === 'gen' ? take(left, block.length) : [],
    };
    from += block.length;
    return place;
  });
}

function take(left: { version: number; length: number }[], wanted: number): VersionRun[] {
  const taken: VersionRun[] = [];
  let missing = wanted;
  while (missing > 0 && left[0] !== undefined) {
    const length = Math.min(left[0].length, missing);
    if (length > 0) taken.push([left[0].version, length]);
    left[0].length -= length;
    missing -= length;
    if (left[0].length === 0) left.shift();
  }
  return taken;
}
