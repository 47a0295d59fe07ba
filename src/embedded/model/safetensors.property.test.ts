import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSafetensors, SafetensorsError, serializeSafetensors, type TensorData } from './safetensors';

const data: fc.Arbitrary<TensorData> = fc.oneof(
  fc.float32Array({ maxLength: 12 }),
  fc.int32Array({ maxLength: 12 }),
  fc.bigInt64Array({ maxLength: 6 }),
  fc.uint8Array({ maxLength: 13 }),
);
const file = fc.dictionary(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((name) => name !== '__metadata__'),
  data,
  { maxKeys: 6 },
);
const write = (tensors: Record<string, TensorData>, metadata = {}) =>
  serializeSafetensors(
    Object.entries(tensors).map(([name, values]) => [name, { shape: [values.length], data: values }] as const),
    metadata,
  );

describe('safetensors', () => {
  it('reads back what it wrote, wherever in memory the bytes lie', () => {
    fc.assert(
      fc.property(file, fc.nat({ max: 9 }), (tensors, shift) => {
        const written = write(tensors, { step: '7' });
        const moved = new Uint8Array(written.length + shift).subarray(shift);
        moved.set(written);
        const { tensors: read, metadata } = parseSafetensors(moved);
        expect(metadata).toEqual({ format: 'pt', step: '7' });
        expect([...read.keys()].sort()).toEqual(Object.keys(tensors).sort());
        for (const [name, values] of Object.entries(tensors))
          expect(read.get(name)).toEqual({ shape: [values.length], data: values });
      }),
    );
  });

  it('refuses every proper beginning of a file', () => {
    const whole = write({ a: Float32Array.from([1, 2]), b: Int32Array.from([3]) });
    for (let length = 0; length < whole.length; length++) {
      expect(() => parseSafetensors(whole.subarray(0, length)), `first ${length} bytes`).toThrow(SafetensorsError);
    }
  });

  it('never fails in another way than by its own error, whatever byte is changed', () => {
    const whole = write({ a: Float32Array.from([1, 2]), b: Uint8Array.from([3]) });
    fc.assert(
      fc.property(fc.nat({ max: whole.length - 1 }), fc.nat({ max: 255 }), (at, value) => {
        const damaged = Uint8Array.from(whole);
        damaged[at] = value;
        try {
          parseSafetensors(damaged);
        } catch (cause) {
          expect(cause).toBeInstanceOf(SafetensorsError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it.each<[string, object, number, string]>([
    ['overlapping tensors', { a: entry(0, 8), b: entry(4, 12) }, 12, 'overlap'],
    ['a hole', { a: entry(0, 4), b: entry(8, 12) }, 12, 'belong to none'],
    ['bytes after the last tensor', { a: entry(0, 4) }, 8, 'belong to none'],
    ['a size that disagrees with the shape', { a: { ...entry(0, 8), shape: [3] } }, 8, 'needs 12'],
    ['an unknown element type', { a: { ...entry(0, 4), dtype: 'F8_E5M2' } }, 4, 'F8_E5M2'],
    ['an inherited name as element type', { a: { ...entry(0, 4), dtype: 'toString' } }, 4, 'toString'],
    ['offsets past the end', { a: entry(0, 8) }, 4, 'truncated'],
    ['offsets backwards', { a: entry(4, 0) }, 4, 'before it begins'],
    ['a negative size', { a: { ...entry(0, 4), shape: [-1] } }, 4, 'no valid shape'],
  ])('refuses %s', (_name, header, bodyBytes, message) => {
    const json = new TextEncoder().encode(JSON.stringify(header));
    const bytes = new Uint8Array(8 + json.length + bodyBytes);
    new DataView(bytes.buffer).setBigUint64(0, BigInt(json.length), true);
    bytes.set(json, 8);
    expect(() => parseSafetensors(bytes)).toThrow(message);
  });

  it.each<[string, string, readonly number[], readonly number[]]>([
    // bit patterns from IEEE 754 half precision and from bfloat16 as the upper half of a float32
    ['F16', 'F16', [0x3c00, 0xc000, 0x0001, 0x7bff, 0x3555], [1, -2, 2 ** -24, 65504, 0.333251953125]],
    ['BF16', 'BF16', [0x3f80, 0xc000, 0x4049], [1, -2, 3.140625]],
  ])('widens %s', (_name, dtype, halves, expected) => {
    const json = new TextEncoder().encode(
      JSON.stringify({ a: { dtype, shape: [halves.length], data_offsets: [0, halves.length * 2] } }),
    );
    const bytes = new Uint8Array(8 + json.length + halves.length * 2);
    const view = new DataView(bytes.buffer);
    view.setBigUint64(0, BigInt(json.length), true);
    bytes.set(json, 8);
    halves.forEach((half, i) => {
      view.setUint16(8 + json.length + i * 2, half, true);
    });
    expect([...(parseSafetensors(bytes).tensors.get('a')!.data as Float32Array)]).toEqual(expected);
  });
});

function entry(begin: number, end: number) {
  return { dtype: 'F32', shape: [Math.abs(end - begin) / 4], data_offsets: [begin, end] };
}
