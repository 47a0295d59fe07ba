/** Element arrays after reading: 16-bit floats are widened to float32, so callers meet four array types only. */
export type TensorData = Float32Array | Int32Array | BigInt64Array | Uint8Array;

export interface NamedTensor {
  readonly shape: readonly number[];
  readonly data: TensorData;
}

export interface SafetensorsFile {
  readonly tensors: ReadonlyMap<string, NamedTensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Bytes that are not a readable safetensors file; the message says what is wrong and where. */
export class SafetensorsError extends Error {
  override readonly name = 'SafetensorsError';
}

/** The format's own cap on the JSON header, which also stops a damaged length from allocating the machine. */
const MAX_HEADER_BYTES = 100_000_000;
const LENGTH_BYTES = 8;
const ELEMENT_BYTES: Readonly<Record<string, number>> = { F32: 4, F16: 2, BF16: 2, I32: 4, I64: 8, U8: 1 };

/**
 * Reads a whole safetensors file: u64 little-endian header length, JSON header, raw little-endian data.
 *
 * Refuses truncated files, overlapping or uncovered data, sizes that disagree with shapes, and unknown element types.
 */
export function parseSafetensors(bytes: Uint8Array): SafetensorsFile {
  if (bytes.byteLength < LENGTH_BYTES)
    throw new SafetensorsError(`file of ${bytes.byteLength} bytes is too short for a header`);
  const declared = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigUint64(0, true);
  if (declared > BigInt(MAX_HEADER_BYTES)) throw new SafetensorsError(`header length ${declared} is not plausible`);
  const headerBytes = Number(declared);
  const dataStart = LENGTH_BYTES + headerBytes;
  if (dataStart > bytes.byteLength) {
    throw new SafetensorsError(`truncated: header needs ${dataStart} bytes, the file has ${bytes.byteLength}`);
  }
  const header = parseHeader(bytes.subarray(LENGTH_BYTES, dataStart));
  // a plain view: slice() of a Node Buffer would share its memory instead of copying
  const body = new Uint8Array(bytes.buffer, bytes.byteOffset + dataStart, bytes.byteLength - dataStart);
  const tensors = new Map<string, NamedTensor>();
  const spans: Span[] = [];
  let metadata: Record<string, string> = {};
  for (const [name, entry] of Object.entries(header)) {
    if (name === '__metadata__') {
      metadata = readMetadata(entry);
      continue;
    }
    const { dtype, shape, span } = readEntry(name, entry, body.byteLength);
    spans.push(span);
    // a copy: data offsets need not be aligned for the element type
    tensors.set(name, { shape, data: widen(dtype, body.slice(span.begin, span.end)) });
  }
  checkCoverage(spans, body.byteLength);
  return { tensors, metadata };
}

/** Writes tensors in the given order as a safetensors file; the JSON header is padded so that data starts 8-aligned. */
export function serializeSafetensors(
  tensors: Iterable<readonly [string, NamedTensor]>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt', ...metadata } };
  const chunks: Uint8Array[] = [];
  const seen = new Set<string>();
  let offset = 0;
  for (const [name, { shape, data }] of tensors) {
    if (seen.has(name) || name === '__metadata__')
      throw new SafetensorsError(`tensor name ${name} is used twice or reserved`);
    if (elementCount(shape) !== data.length) {
      throw new SafetensorsError(
        `tensor ${name} has ${data.length} elements, its shape [${shape}] needs ${elementCount(shape)}`,
      );
    }
    seen.add(name);
    Object.defineProperty(header, name, {
      value: { dtype: dtypeOf(data), shape, data_offsets: [offset, offset + data.byteLength] },
      enumerable: true,
    });
    chunks.push(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    offset += data.byteLength;
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const headerBytes = Math.ceil(json.byteLength / 8) * 8;
  const file = new Uint8Array(LENGTH_BYTES + headerBytes + offset);
  new DataView(file.buffer).setBigUint64(0, BigInt(headerBytes), true);
  file.fill(0x20, LENGTH_BYTES, LENGTH_BYTES + headerBytes);
  file.set(json, LENGTH_BYTES);
  let position = LENGTH_BYTES + headerBytes;
  for (const chunk of chunks) {
    file.set(chunk, position);
    position += chunk.byteLength;
  }
  return file;
}

interface Span {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
}

function parseHeader(bytes: Uint8Array): object {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new SafetensorsError('header is not valid JSON', { cause });
  }
  if (!isObject(header)) throw new SafetensorsError('header is not a JSON object');
  return header;
}

function readMetadata(entry: unknown): Record<string, string> {
  if (!isObject(entry)) throw new SafetensorsError('__metadata__ is not an object');
  const metadata: Record<string, string> = {};
  for (const [key, value] of Object.entries(entry)) {
    if (typeof value !== 'string') throw new SafetensorsError(`__metadata__.${key} is not a string`);
    metadata[key] = value;
  }
  return metadata;
}

function readEntry(name: string, entry: unknown, bodyBytes: number): { dtype: string; shape: number[]; span: Span } {
  if (!isObject(entry)) throw new SafetensorsError(`entry of tensor ${name} is not an object`);
  const { dtype, shape, data_offsets: offsets } = entry as Record<string, unknown>;
  const elementBytes =
    typeof dtype === 'string' && Object.hasOwn(ELEMENT_BYTES, dtype) ? ELEMENT_BYTES[dtype] : undefined;
  if (typeof dtype !== 'string' || elementBytes === undefined) {
    throw new SafetensorsError(`tensor ${name} has element type ${JSON.stringify(dtype)}, which is not supported`);
  }
  if (!isSizes(shape)) throw new SafetensorsError(`tensor ${name} has no valid shape`);
  if (!isSizes(offsets) || offsets.length !== 2) throw new SafetensorsError(`tensor ${name} has no valid data_offsets`);
  const [begin = 0, end = 0] = offsets;
  if (begin > end) throw new SafetensorsError(`tensor ${name} ends at ${end} before it begins at ${begin}`);
  if (end > bodyBytes)
    throw new SafetensorsError(`truncated: tensor ${name} ends at ${end}, the data has ${bodyBytes} bytes`);
  const needed = elementCount(shape) * elementBytes;
  if (needed !== end - begin) {
    throw new SafetensorsError(`tensor ${name} takes ${end - begin} bytes, ${dtype} [${shape}] needs ${needed}`);
  }
  return { dtype, shape, span: { name, begin, end } };
}

/** The format demands that data is covered once and without holes: a hole or overlap means a damaged or hostile file. */
function checkCoverage(spans: Span[], bodyBytes: number): void {
  let covered = 0;
  let previous = 'the start';
  for (const span of [...spans].sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (span.begin < covered) throw new SafetensorsError(`tensors ${previous} and ${span.name} overlap`);
    if (span.begin > covered)
      throw new SafetensorsError(`${span.begin - covered} bytes before tensor ${span.name} belong to none`);
    covered = span.end;
    previous = span.name;
  }
  if (covered !== bodyBytes)
    throw new SafetensorsError(`${bodyBytes - covered} bytes after the last tensor belong to none`);
}

function widen(dtype: string, bytes: Uint8Array): TensorData {
  const { buffer, byteLength } = bytes;
  switch (dtype) {
    case 'F32':
      return new Float32Array(buffer, 0, byteLength / 4);
    case 'I32':
      return new Int32Array(buffer, 0, byteLength / 4);
    case 'I64':
      return new BigInt64Array(buffer, 0, byteLength / 8);
    case 'BF16':
      return widenBfloat16(new Uint16Array(buffer, 0, byteLength / 2));
    case 'F16':
      return Float32Array.from(new Uint16Array(buffer, 0, byteLength / 2), halfToFloat);
    default:
      return bytes;
  }
}

/** bfloat16 is the upper half of a float32. */
function widenBfloat16(halves: Uint16Array): Float32Array {
  const words = new Uint32Array(halves.length);
  for (let i = 0; i < halves.length; i++) words[i] = (halves[i] ?? 0) << 16;
  return new Float32Array(words.buffer);
}

function halfToFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function dtypeOf(data: TensorData): string {
  if (data instanceof Float32Array) return 'F32';
  if (data instanceof Int32Array) return 'I32';
  if (data instanceof BigInt64Array) return 'I64';
  return 'U8';
}

function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);
}
