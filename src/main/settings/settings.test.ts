import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { settingsSchema } from '../../shared/ipc/contract';
import { DraftsFile } from './drafts-file';
import { SettingsFile } from './settings-file';
import { readWindowState, writeWindowState } from './window-state-file';

const defaults = settingsSchema.parse({});
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'settings-'));
  path = join(folder, 'file.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('SettingsFile', () => {
  it('starts with the defaults and remembers what was changed', () => {
    const file = new SettingsFile(path);
    expect(file.current()).toEqual(defaults);
    expect(file.write({ theme: 'dark', batchSize: 8 })).toEqual({ ...defaults, theme: 'dark', batchSize: 8 });
    const again = new SettingsFile(path);
    expect(again.current()).toEqual({ ...defaults, theme: 'dark', batchSize: 8 });
    expect(again.trouble()).toEqual([]);
  });

  it.each([
    ['half a file', '{"theme": "da', {}, /cannot be read/],
    ['a list', '[]', {}, /cannot be read/],
    ['one bad field', '{"theme": "pink", "batchSize": 8}', { batchSize: 8 }, /reset: theme\./],
    [
      'two bad fields',
      '{"batchSize": -1, "trial": "../x", "theme": "dark"}',
      { theme: 'dark' },
      /reset: batchSize, trial\./,
    ],
    ['a field named like a method', '{"toString": 1, "theme": "dark"}', { theme: 'dark' }, null],
  ])('keeps what is good of %s', (_reason, text, kept, message) => {
    writeFileSync(path, text);
    const file = new SettingsFile(path);
    expect(file.current()).toEqual({ ...defaults, ...kept });
    if (message === null) expect(file.trouble()).toEqual([]);
    else {
      expect(file.trouble()[0]?.message).toMatch(message);
      expect(readFileSync(`${path}.bad`, 'utf8')).toBe(text);
    }
  });

  it('refuses a change that is not valid and stays as it was', () => {
    const file = new SettingsFile(path);
    expect(() => file.write({ batchSize: 1 })).toThrow();
    expect(file.current()).toEqual(defaults);
    expect(existsSync(path)).toBe(false);
  });

  it('stays as it was when the disk refuses', () => {
    const file = new SettingsFile(join(folder, 'no', 'such', 'folder.json'));
    expect(() => file.write({ theme: 'dark' })).toThrow(/ENOENT/);
    expect(file.current().theme).toBe('system');
  });

  it('keeps the fields of a newer version', () => {
    writeFileSync(path, '{"format": 9, "hologram": true}');
    new SettingsFile(path).write({ theme: 'light' });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ hologram: true, theme: 'light' });
  });

  it('applies only the migrations that a file has not seen', () => {
    const rename = (from: string, to: string) => (fields: Readonly<Record<string, unknown>>) => {
      const { [from]: value, ...rest } = fields;
      return value === undefined ? rest : { ...rest, [to]: value };
    };
    const migrations = [rename('skin', 'look'), rename('look', 'theme')];
    writeFileSync(path, '{"skin": "dark"}');
    expect(new SettingsFile(path, migrations).current().theme).toBe('dark');
    writeFileSync(path, '{"format": 2, "look": "light", "skin": "dark"}');
    expect(new SettingsFile(path, migrations).current().theme).toBe('light');
  });
});

describe('DraftsFile', () => {
  it('has every draft on disk as soon as it is written, and forgets emptied ones', () => {
    const file = new DraftsFile(path);
    file.write('composer:42', 'What is 12 + 7?');
    file.write('note:1', 'wrong');
    expect(new DraftsFile(path).all()).toEqual({ 'composer:42': 'What is 12 + 7?', 'note:1': 'wrong' });
    file.write('note:1', '');
    expect(new DraftsFile(path).all()).toEqual({ 'composer:42': 'What is 12 + 7?' });
  });

  it('starts empty with a damaged file, which it keeps', () => {
    writeFileSync(path, '{"composer": 12}');
    expect(new DraftsFile(path).all()).toEqual({});
    expect(readFileSync(`${path}.bad`, 'utf8')).toBe('{"composer": 12}');
  });
});

describe('readWindowState', () => {
  const screen = { x: 0, y: 0, width: 1920, height: 1080 };
  it.each([
    ['on the screen', { x: 100, y: 50, width: 1280, height: 820 }, [screen], true],
    ['partly on it', { x: 1800, y: 50, width: 1280, height: 820 }, [screen], true],
    ['on a second screen', { x: 2000, y: 50, width: 1280, height: 820 }, [screen, { ...screen, x: 1920 }], true],
    ['on a screen that is gone', { x: 2000, y: 50, width: 1280, height: 820 }, [screen], false],
    ['with its title above the screen', { x: 100, y: -40, width: 1280, height: 820 }, [screen], false],
    ['too small to use', { x: 100, y: 50, width: 200, height: 100 }, [screen], false],
  ])('remembers a window %s', (_reason, bounds, screens, remembered) => {
    writeWindowState(path, { bounds, isMaximized: false });
    expect(readWindowState(path, screens)).toEqual(remembered ? { bounds, isMaximized: false } : null);
  });

  it('knows nothing of a damaged file', () => {
    writeFileSync(path, '{"bounds": {}}');
    expect(readWindowState(path, [screen])).toBeNull();
  });
});
