/** Token ids and versions as the schema keeps them: little-endian 32-bit integers. */
export function encodeIntegers(values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of values.entries()) view.setInt32(index * 4, value, true);
  return bytes;
}

/** Inverse of {@link encodeIntegers}; null (not finished yet) reads as no tokens. */
export function decodeIntegers(blob: Uint8Array | null): number[] {
  if (blob === null) return [];
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  return Array.from({ length: blob.byteLength / 4 }, (_, index) => view.getInt32(index * 4, true));
}

/** Log-probs as the schema keeps them: little-endian 32-bit floats, which is what engines compute in. */
export function encodeFloats(values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of values.entries()) view.setFloat32(index * 4, value, true);
  return bytes;
}

/** Inverse of {@link encodeFloats} up to 32-bit rounding; null reads as no tokens. */
export function decodeFloats(blob: Uint8Array | null): number[] {
  if (blob === null) return [];
  const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
  return Array.from({ length: blob.byteLength / 4 }, (_, index) => view.getFloat32(index * 4, true));
}
