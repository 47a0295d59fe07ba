/** Keeps values up to a number of bytes; the ones that were not used for longest go first. */
export class ByteCache<Value> {
  readonly #entries = new Map<string, { readonly value: Value; readonly bytes: number }>();
  #bytes = 0;

  constructor(private readonly capacityBytes: number) {}

  get bytes(): number {
    return this.#bytes;
  }

  /** Hands the value over: put it back when it is to be kept. */
  take(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    return entry.value;
  }

  put(key: string, value: Value, bytes: number): void {
    this.take(key);
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.capacityBytes) return;
      this.take(oldest);
    }
  }
}
