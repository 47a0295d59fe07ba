import { invalidValue, malformed } from './request-error';

/** Typed reading of a parsed JSON object; absent and null both give the fallback. */
export class RequestFields {
  readonly #fields: ReadonlyMap<string, unknown>;
  readonly #prefix: string;

  constructor(value: unknown, name: string, prefix = '') {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw malformed(`${name} must be a JSON object`);
    this.#fields = new Map(Object.entries(value));
    this.#prefix = prefix;
  }

  names(): string[] {
    return [...this.#fields.keys()];
  }

  raw(name: string): unknown {
    return this.#fields.get(name) ?? null;
  }

  has(name: string): boolean {
    return this.#fields.has(name);
  }

  text<T>(name: string, fallback: T): string | T {
    const value = this.raw(name);
    if (value === null) return fallback;
    if (typeof value !== 'string') throw malformed(`${this.#prefix}${name} must be a string`);
    return value;
  }

  flag(name: string, fallback: boolean): boolean {
    const value = this.raw(name);
    if (value === null) return fallback;
    if (typeof value !== 'boolean') throw malformed(`${this.#prefix}${name} must be true or false`);
    return value;
  }

  integer<T>(name: string, fallback: T): number | T {
    const value = this.raw(name);
    if (value === null) return fallback;
    if (typeof value !== 'number' || !Number.isSafeInteger(value))
      throw malformed(`${this.#prefix}${name} must be an integer`);
    return value;
  }

  /** A number in a range; `range` is how the range reads in the refusal. */
  number(name: string, fallback: number, isInRange: (value: number) => boolean, range: string): number {
    const value = this.raw(name);
    if (value === null) return fallback;
    if (typeof value !== 'number') throw malformed(`${this.#prefix}${name} must be a number`);
    if (!isInRange(value)) throw invalidValue(`${name} ${value} is outside ${range}`);
    return value;
  }

  integers(name: string): number[] {
    const value = this.raw(name);
    if (value === null) return [];
    if (!Array.isArray(value) || !value.every((item) => Number.isSafeInteger(item))) {
      throw malformed(`${this.#prefix}${name} must be a list of integers`);
    }
    return value;
  }

  /** One string or a list of strings. */
  strings(name: string): string[] {
    const value = this.raw(name);
    if (value === null) return [];
    if (typeof value === 'string') return [value];
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
      throw malformed(`${this.#prefix}${name} must be a string or a list of strings`);
    }
    return value;
  }
}
