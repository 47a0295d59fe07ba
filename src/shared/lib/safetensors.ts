/** Element types the trainer contract uses. */
export type TensorData = Int32Array | Float32Array | Uint8Array;

export interface NamedTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

const LENGTH_BYTES = 8;
const ALIGNMENT = 8;

/**
 * Bytes of a safetensors file: u64 little-endian header length, JSON header, raw little-endian data in the given order.
 *
 * The same tensors always give the same bytes. The header is padded with spaces so that data starts 8-aligned.
 *
 * @throws when a name repeats or is not ASCII, or a shape disagrees with its data
 */
export function encodeSafetensors(tensors: readonly NamedTensor[]): Uint8Array {
  const entries: string[] = [];
  const names = new Set<string>();
  let end = 0;
  for (const { name, shape, data } of tensors) {
    if (names.has(name)) throw new Error(`tensor ${name} appears twice`);
    if (!/^[ -~]+$/.test(name)) throw new Error(`tensor name ${name} is not printable ASCII`);
    names.add(name);
    const elements = shape.reduce((product, length) => product * length, 1);
    if (elements !== data.length)
      throw new Error(`tensor ${name}: shape ${shape.join('×')} is not ${data.length} long`);
    const begin = end;
    end += data.byteLength;
    const entry = { dtype: dtypeOf(data), shape, data_offsets: [begin, end] };
    entries.push(`${JSON.stringify(name)}:${JSON.stringify(entry)}`);
  }
  const header = `{${entries.join(',')}}`;
  const headerBytes = Math.ceil(header.length / ALIGNMENT) * ALIGNMENT;
  const bytes = new Uint8Array(LENGTH_BYTES + headerBytes + end);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, headerBytes, true); // the upper half stays 0: a header is far below 4 GiB
  for (let i = 0; i < header.length; i += 1) bytes[LENGTH_BYTES + i] = header.charCodeAt(i);
  bytes.fill(0x20, LENGTH_BYTES + header.length, LENGTH_BYTES + headerBytes);
  let position = LENGTH_BYTES + headerBytes;
  for (const { data } of tensors) {
    writeLittleEndian(view, position, data);
    position += data.byteLength;
  }
  return bytes;
}

function dtypeOf(data: TensorData): 'I32' | 'F32' | 'U8' {
  if (data instanceof Int32Array) return 'I32';
  return data instanceof Float32Array ? 'F32' : 'U8';
}

// Element by element: typed arrays have the machine's byte order, the file does not.
function writeLittleEndian(view: DataView, position: number, data: TensorData): void {
  for (let i = 0; i < data.length; i += 1) {
    const value = data[i] ?? 0;
    if (data instanceof Int32Array) view.setInt32(position + i * 4, value, true);
    else if (data instanceof Float32Array) view.setFloat32(position + i * 4, value, true);
    else view.setUint8(position + i, value);
  }
}
