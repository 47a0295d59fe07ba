import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AdminKeyError, loadAdminKey } from './admin-key';
import { systemRandom } from './random';

let folder: string;
const file = (): string => join(folder, 'admin-key');
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'admin-key-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('loadAdminKey', () => {
  it('makes a key of its own, readable by its owner only, and keeps it', () => {
    const key = loadAdminKey(folder, systemRandom);
    expect(key).toMatch(/^plaudit-admin-[\w-]{43}$/);
    expect(readFileSync(file(), 'utf8')).toBe(`${key}\n`);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(loadAdminKey(folder, systemRandom)).toBe(key);
    const other = mkdtempSync(join(tmpdir(), 'admin-key-'));
    expect(loadAdminKey(other, systemRandom)).not.toBe(key);
    rmSync(other, { recursive: true });
  });

  it('takes away the rights of others', () => {
    const key = loadAdminKey(folder, systemRandom);
    chmodSync(file(), 0o644);
    expect(loadAdminKey(folder, systemRandom)).toBe(key);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  it('makes a new one in place of an empty file', () => {
    writeFileSync(file(), ' \n');
    expect(loadAdminKey(folder, systemRandom)).toMatch(/^plaudit-admin-/);
  });

  it.each([
    ['two lines', 'first-line-of-a-key\nsecond-line-of-a-key'],
    ['a space', 'a key with spaces in it'],
    ['letters beyond ASCII', 'schlüssel-schlüssel'],
    ['a short word', 'password'],
    ['NUL', 'key-with-a-nul-\0-in-it'],
  ])('refuses %s and says what to do', (_reason, text) => {
    writeFileSync(file(), text);
    expect(() => loadAdminKey(folder, systemRandom)).toThrow(AdminKeyError);
    expect(readFileSync(file(), 'utf8')).toBe(text);
  });

  it('says so when it cannot be written', () => {
    writeFileSync(join(folder, 'no-folder'), '');
    const load = () => loadAdminKey(join(folder, 'no-folder', 'data'), systemRandom);
    expect(load).toThrow(AdminKeyError);
    expect(load).toThrow(/admin-key cannot be written: .*(ENOTDIR|EEXIST)/);
  });

  it('refuses a folder in its place', () => {
    mkdirSync(file());
    expect(() => loadAdminKey(folder, systemRandom)).toThrow(/cannot be read.*EISDIR/);
  });
});
