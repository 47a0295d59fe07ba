import { describe, expect, it } from 'vitest';
import { encodeSafetensors } from './safetensors';

const text = (bytes: Uint8Array) => String.fromCharCode(...bytes);

describe('encodeSafetensors', () => {
  const bytes = encodeSafetensors([
    { name: 'a', shape: [2], data: new Int32Array([1, -1]) },
    { name: 'b', shape: [1, 3], data: new Uint8Array([7, 8, 9]) },
    { name: 'c', shape: [1], data: new Float32Array([1]) },
  ]);
  const headerBytes = new DataView(bytes.buffer).getUint32(0, true);

  it('writes length, padded JSON header and little-endian data back to back', () => {
    expect(headerBytes % 8).toBe(0);
    expect(JSON.parse(text(bytes.subarray(8, 8 + headerBytes)))).toEqual({
      a: { dtype: 'I32', shape: [2], data_offsets: [0, 8] },
      b: { dtype: 'U8', shape: [1, 3], data_offsets: [8, 11] },
      c: { dtype: 'F32', shape: [1], data_offsets: [11, 15] },
    });
    const data = [...bytes.subarray(8 + headerBytes)];
    expect(data).toEqual([1, 0, 0, 0, 255, 255, 255, 255, 7, 8, 9, 0, 0, 0x80, 0x3f]);
  });

  it.each([
    ['a repeated name', [1, 1].map((n) => ({ name: 'x', shape: [n], data: new Uint8Array(n) })), /twice/],
    ['a wrong shape', [{ name: 'x', shape: [2, 2], data: new Uint8Array(3) }], /2×2/],
    ['a name outside ASCII', [{ name: 'ü', shape: [0], data: new Uint8Array(0) }], /ASCII/],
  ])('refuses %s', (_name, tensors, message) => {
    expect(() => encodeSafetensors(tensors)).toThrow(message);
  });

  it('can hold empty tensors', () => {
    expect(() => encodeSafetensors([{ name: 'x', shape: [0], data: new Float32Array(0) }])).not.toThrow();
  });
});
