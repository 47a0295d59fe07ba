/** Ends an exhaustive switch: a new union member then fails to compile instead of falling through. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`);
}
