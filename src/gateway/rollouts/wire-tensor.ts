/** A tensor as AReaL's HTTP export carries it: base64 of little-endian bytes in C order. */
export interface WireTensor {
  readonly type: 'tensor';
  readonly data: string;
  readonly shape: readonly number[];
  readonly dtype: TensorType;
}

export type TensorType = 'torch.int64' | 'torch.int32' | 'torch.float32' | 'torch.bool';

const BYTES: Record<TensorType, number> = { 'torch.int64': 8, 'torch.int32': 4, 'torch.float32': 4, 'torch.bool': 1 };

/** @param values - integers for the integer types, 0 or 1 for bool; as many as the shape says */
export function encodeTensor(dtype: TensorType, shape: readonly number[], values: readonly number[]): WireTensor {
  const bytes = new Uint8Array(values.length * BYTES[dtype]);
  const view = new DataView(bytes.buffer);
  values.forEach((value, k) => {
    const at = k * BYTES[dtype];
    switch (dtype) {
      case 'torch.int64':
        view.setBigInt64(at, BigInt(value), true);
        break;
      case 'torch.int32':
        view.setInt32(at, value, true);
        break;
      case 'torch.float32':
        view.setFloat32(at, value, true);
        break;
      case 'torch.bool':
        view.setUint8(at, value);
        break;
    }
  });
  return { type: 'tensor', data: toBase64(bytes), shape, dtype };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
