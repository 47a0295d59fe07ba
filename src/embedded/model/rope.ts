import type { LlamaConfig } from './llama-config';
import { np, type Tensor } from './tensor-runtime';

/** Cosines and sines of rotary positions: `positions × headSize`, the two halves of a row equal (HF layout). */
export interface RopeTable {
  readonly cos: Float32Array;
  readonly sin: Float32Array;
  readonly positions: number;
  readonly headSize: number;
}

/** Table for positions 0 … positions − 1. */
export function ropeTable(config: Pick<LlamaConfig, 'headSize' | 'ropeTheta'>, positions: number): RopeTable {
  const { headSize, ropeTheta } = config;
  const half = headSize / 2;
  const cos = new Float32Array(positions * headSize);
  const sin = new Float32Array(positions * headSize);
  for (let position = 0; position < positions; position++) {
    for (let pair = 0; pair < half; pair++) {
      const angle = position * ropeTheta ** ((-2 * pair) / headSize);
      const first = position * headSize + pair;
      cos[first] = cos[first + half] = Math.cos(angle);
      sin[first] = sin[first + half] = Math.sin(angle);
    }
  }
  return { cos, sin, positions, headSize };
}

/** The first `length` positions as `[length, 1, headSize]` tensors, the shape `forward` takes. The caller owns both. */
export function ropeTensors(table: RopeTable, length: number): { cos: Tensor; sin: Tensor } {
  const size = length * table.headSize;
  const shape = [length, 1, table.headSize];
  return {
    cos: np.array(table.cos.slice(0, size)).reshape(shape),
    sin: np.array(table.sin.slice(0, size)).reshape(shape),
  };
}

/** Turns `heads` vectors, one after another from `begin` on, to a position, in place (HF's half-split layout). */
export function rotateHeads(
  table: RopeTable,
  vectors: Float32Array,
  begin: number,
  heads: number,
  position: number,
): void {
  const { cos, sin, headSize } = table;
  const half = headSize / 2;
  const angles = position * headSize;
  for (let first = begin; first < begin + heads * headSize; first += headSize) {
    for (let pair = 0; pair < half; pair++) {
      const c = cos[angles + pair] as number;
      const s = sin[angles + pair] as number;
      const x = vectors[first + pair] as number;
      const y = vectors[first + half + pair] as number;
      vectors[first + pair] = x * c - y * s;
      vectors[first + half + pair] = y * c + x * s;
    }
  }
}
