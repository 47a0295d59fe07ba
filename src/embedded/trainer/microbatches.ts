import type { PolicyRows } from '../model/policy-loss';
import type { TrainingRow } from './training-batch';

/**
 * Positions per pass over the model: with gradient accumulation a batch of any size needs the memory of these. All shapes
 * hold the same number, because the tensor library keeps a pool per buffer size and never gives memory back: shapes
 * of equal size share their pools, others would add theirs.
 */
const POSITIONS_PER_PASS = 768;
/** Positions per row are rounded up to one of these, because every new shape costs seconds of compilation. */
const LENGTHS = [48, 64, 96, 128, 192, 256] as const;
const LENGTH_STEP = 256;

/** Part of a batch, padded to a fixed shape. `reference` and `proximal` are filled in when they are known. */
export interface Microbatch {
  readonly inputs: Omit<PolicyRows, 'reference' | 'proximal'>;
  /** age of each token in versions; −1 where nothing is trained */
  readonly ages: Int32Array;
  /** spool row of each of its rows, the padding rows at the end left out */
  readonly spoolRows: readonly number[];
  /** places that hold a token of some row, the rest is padding */
  readonly positions: number;
}

/**
 * Packs rows of like length together. The same rows always give the same microbatches, so a batch that is trained again
 * after a crash adds its gradients in the same order.
 *
 * @param trainVersion - version of the weights that are about to be trained
 */
export function packMicrobatches(rows: readonly TrainingRow[], trainVersion: number): Microbatch[] {
  const byLength = [...rows].sort((a, b) => a.ids.length - b.ids.length);
  const parts: Microbatch[] = [];
  for (let first = 0; first < byLength.length; ) {
    const rest = byLength.slice(first);
    const length = lengthFrom(rest);
    const members = rest.slice(0, rowsPerPass(length)).filter((row) => positionsOf(row) <= length);
    parts.push(pack(members, length, trainVersion));
    first += members.length;
  }
  return parts;
}

/** The shape that takes rows of this many positions (tokens − 1). */
export function bucketLength(positions: number): number {
  return LENGTHS.find((length) => length >= positions) ?? Math.ceil(positions / LENGTH_STEP) * LENGTH_STEP;
}

/** Rows of this length that one pass takes. */
export function rowsPerPass(length: number): number {
  return Math.max(1, Math.floor(POSITIONS_PER_PASS / length));
}

/** The length of the next pass, given rows from short to long: longer rows join as long as the shorter ones still fit. */
function lengthFrom(rows: readonly TrainingRow[]): number {
  let length = bucketLength(positionsOf(rows[0]));
  rows.forEach((row, taken) => {
    const longer = bucketLength(positionsOf(row));
    if (taken < rowsPerPass(longer)) length = longer;
  });
  return length;
}

function positionsOf(row: TrainingRow | undefined): number {
  return (row?.ids.length ?? 1) - 1;
}

function pack(rows: readonly TrainingRow[], length: number, trainVersion: number): Microbatch {
  const passRows = rowsPerPass(length);
  const size = passRows * length;
  const inputs = {
    rows: passRows,
    length,
    ids: new Int32Array(size),
    targets: new Int32Array(size),
    temperatures: new Float32Array(passRows).fill(1),
    weights: new Float32Array(size),
    advantages: new Float32Array(size),
    behave: new Float32Array(size),
  };
  const ages = new Int32Array(size).fill(-1);
  rows.forEach((row, r) => {
    inputs.temperatures[r] = row.temperature;
    for (let t = 0; t + 1 < row.ids.length; t++) {
      const at = r * length + t;
      inputs.ids[at] = row.ids[t] ?? 0;
      inputs.targets[at] = row.ids[t + 1] ?? 0;
      // position t of the model predicts token t + 1
      if (row.mask[t + 1] !== 1) continue;
      inputs.weights[at] = row.weight;
      inputs.advantages[at] = row.advantage;
      inputs.behave[at] = row.behave[t + 1] ?? 0;
      ages[at] = trainVersion - (row.versions[t + 1] ?? trainVersion);
    }
  });
  const positions = rows.reduce((sum, row) => sum + row.ids.length - 1, 0);
  return { inputs, ages, positions, spoolRows: rows.map(({ row }) => row) };
}
