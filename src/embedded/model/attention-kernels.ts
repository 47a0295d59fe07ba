import { instantiate, type WasmFunction, type WasmMemory, wasm } from './wasm-module';

/**
 * The two inner loops of attention. Pointers, strides and sizes are bytes; sizes are multiples of 16. The order of additions depends on
 * the size only.
 */
export interface AttentionKernels {
  /** scores[p] = query · keys[p], for `count` ≥ 1 positions */
  score(query: number, keys: number, stride: number, size: number, count: number, scores: number): void;
  /** into += Σ powers[p] · values[p], position by position */
  mix(powers: number, values: number, stride: number, size: number, count: number, into: number): void;
}

export function attentionKernels(memory: WasmMemory): AttentionKernels {
  return instantiate([SCORE, MIX], memory) as unknown as AttentionKernels;
}

const { localGet, localSet, localTee, i32Const, i32Add, i32LessUnsigned, doWhile } = wasm;
const { v128Load, v128Load32Splat, v128Store, v128Zero, f32x4Add, f32x4Mul, f32x4ExtractLane, f32Add, f32Store } = wasm;

const VECTOR_BYTES = 16;
const FLOAT_BYTES = 4;

const step = (local: number, bytes: number) => [localGet(local), i32Const(bytes), i32Add, localSet(local)].flat();
const plus = (pointer: number, offset: number) => [localGet(pointer), localGet(offset), i32Add].flat();
/** after the work on one vector: on to the next, while there is one */
const nextVector = (offset: number, size: number) =>
  [localGet(offset), i32Const(VECTOR_BYTES), i32Add, localTee(offset), localGet(size), i32LessUnsigned].flat();
/** after the work on one position: on to the next, while there is one */
const nextPosition = (rows: number, stride: number, numbers: number, count: number) =>
  [
    [...plus(rows, stride), ...localSet(rows)],
    step(numbers, FLOAT_BYTES),
    [...localGet(count), ...i32Const(-1), ...i32Add, ...localTee(count)],
  ].flat();

const SCORE: WasmFunction = (() => {
  const [query, keys, stride, size, count, scores, offset, sums] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
  const lane = (index: number) => [...localGet(sums), ...f32x4ExtractLane(index)];
  return {
    name: 'score',
    params: 6,
    locals: ['i32', 'v128'],
    body: [
      doWhile(
        [...v128Zero, ...localSet(sums)],
        [...i32Const(0), ...localSet(offset)],
        doWhile(
          [...plus(query, offset), ...v128Load],
          [...plus(keys, offset), ...v128Load],
          [...f32x4Mul, ...localGet(sums), ...f32x4Add, ...localSet(sums)],
          nextVector(offset, size),
        ),
        localGet(scores),
        [...lane(0), ...lane(1), ...f32Add, ...lane(2), ...lane(3), ...f32Add, ...f32Add],
        f32Store,
        nextPosition(keys, stride, scores, count),
      ),
    ],
  };
})();

const MIX: WasmFunction = (() => {
  const [powers, values, stride, size, count, into, offset, power] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
  return {
    name: 'mix',
    params: 6,
    locals: ['i32', 'v128'],
    body: [
      doWhile(
        [...localGet(powers), ...v128Load32Splat, ...localSet(power)],
        [...i32Const(0), ...localSet(offset)],
        doWhile(
          plus(into, offset),
          [...plus(into, offset), ...v128Load],
          [...plus(values, offset), ...v128Load],
          [...localGet(power), ...f32x4Mul, ...f32x4Add],
          v128Store,
          nextVector(offset, size),
        ),
        nextPosition(values, stride, powers, count),
      ),
    ],
  };
})();
