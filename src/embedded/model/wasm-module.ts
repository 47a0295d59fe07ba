/** The little of WebAssembly's interface that is used here: the compiler knows it only together with the web page's globals. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  /** by pages of 64 KiB; views on the buffer before it are dead afterwards */
  grow(pages: number): number;
}

interface WasmGlobal {
  readonly Memory: new (shape: { readonly initial: number }) => WasmMemory;
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: Readonly<Record<string, unknown>> };
}

export const PAGE_BYTES = 65536;

/** One or more instructions in binary form. */
export type Code = readonly number[];

export interface WasmFunction {
  readonly name: string;
  /** number of int32 parameters; they are the first locals */
  readonly params: number;
  /** types of the further locals */
  readonly locals: readonly LocalType[];
  readonly body: readonly Code[];
}

export type LocalType = keyof typeof TYPES;
const TYPES = { i32: 0x7f, v128: 0x7b };

/** Instructions, named as in the WebAssembly text format. Addresses are bytes; locals go by number. */
export const wasm = {
  localGet: (local: number): Code => [0x20, local],
  localSet: (local: number): Code => [0x21, local],
  localTee: (local: number): Code => [0x22, local],
  i32Const: (value: number): Code => [0x41, ...signed(value)],
  i32Add: [0x6a],
  i32LessUnsigned: [0x49],
  f32Add: [0x92],
  f32Store: [0x38, 2, 0],
  v128Load: [0xfd, 0x00, 2, 0],
  v128Load32Splat: [0xfd, 0x09, 2, 0],
  v128Store: [0xfd, 0x0b, 2, 0],
  v128Zero: [0xfd, 0x0c, ...new Array<number>(16).fill(0)],
  f32x4ExtractLane: (lane: number): Code => [0xfd, 0x1f, lane],
  f32x4Add: [0xfd, 0xe4, 0x01],
  f32x4Mul: [0xfd, 0xe6, 0x01],
  /** runs the body, and again as long as the number it leaves behind is not 0 */
  doWhile: (...body: readonly Code[]): Code => [0x03, 0x40, ...body.flat(), 0x0d, 0, 0x0b],
} as const;

export function newMemory(): WasmMemory {
  return new (wasmGlobal().Memory)({ initial: 0 });
}

/** The functions of a module that works on one memory and has no state of its own. */
export function instantiate(
  functions: readonly WasmFunction[],
  memory: WasmMemory,
): Readonly<Record<string, (...params: number[]) => void>> {
  const { Module, Instance } = wasmGlobal();
  const { exports } = new Instance(new Module(encode(functions)), { env: { memory } });
  return exports as Readonly<Record<string, (...params: number[]) => void>>;
}

function wasmGlobal(): WasmGlobal {
  return (globalThis as unknown as { WebAssembly: WasmGlobal }).WebAssembly;
}

function encode(functions: readonly WasmFunction[]): Uint8Array {
  const types = functions.map(({ params }) => [0x60, ...list(new Array(params).fill([TYPES.i32])), 0]);
  const memory = [...name('env'), ...name('memory'), 0x02, 0x00, 0];
  const codes = functions.map(({ locals, body }) => {
    const code = [...list(locals.map((type) => [1, TYPES[type]])), ...body.flat(), 0x0b];
    return [...unsigned(code.length), ...code];
  });
  const sections: readonly (readonly [id: number, content: Code])[] = [
    [1, list(types)],
    [2, list([memory])],
    [3, list(functions.map((_, i) => unsigned(i)))],
    [7, list(functions.map((each, i) => [...name(each.name), 0x00, ...unsigned(i)]))],
    [10, list(codes)],
  ];
  const header = [0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  return Uint8Array.from([
    ...header,
    ...sections.flatMap(([id, content]) => [id, ...unsigned(content.length), ...content]),
  ]);
}

function list(items: readonly Code[]): Code {
  return [...unsigned(items.length), ...items.flat()];
}

function name(text: string): Code {
  return list([...Buffer.from(text)].map((byte) => [byte]));
}

/** LEB128 */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  const isLast = value >= -0x40 && value < 0x40;
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
