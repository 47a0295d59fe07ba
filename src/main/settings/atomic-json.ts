import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';

export type JsonRead =
  | { readonly kind: 'absent' }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'unreadable'; readonly message: string };

/** Reads a JSON file; damage is an outcome, because the app must start with it. */
export function readJson(path: string): JsonRead {
  if (!existsSync(path)) return { kind: 'absent' };
  try {
    return { kind: 'value', value: JSON.parse(readFileSync(path, 'utf8')) };
  } catch (error) {
    return { kind: 'unreadable', message: error instanceof Error ? error.message : String(error) };
  }
}

/** A crash or a full disk leaves the old file or the new one, never a part. */
export function writeJson(path: string, value: unknown): void {
  const temporary = `${path}.new`;
  const file = openSync(temporary, 'w', 0o600);
  try {
    const bytes = Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}

/** Keeps what a person may still want to look at, before it is written over. */
export function keepAsBad(path: string): void {
  try {
    copyFileSync(path, `${path}.bad`);
  } catch {
    // A folder that cannot be written to is reported when the next write fails.
  }
}
