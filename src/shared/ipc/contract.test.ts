import { describe, expect, it } from 'vitest';
import { IPC_CHANNELS, IPC_EVENTS } from './channels';
import { ipcContract, ipcEventContract, type Settings, settingsChangesSchema, settingsSchema } from './contract';

describe('settingsChangesSchema', () => {
  const defaults = settingsSchema.parse({});
  it.each(Object.entries(defaults))('a change of %s brings in no other setting', (name, value) => {
    expect(settingsChangesSchema.parse({ [name]: value })).toEqual({ [name]: value });
  });

  it('knows exactly the settings there are', () => {
    expect(Object.keys(settingsChangesSchema.shape)).toEqual(Object.keys(settingsSchema.shape));
  });

  it('holds a change to the same ranges as the setting', () => {
    const bad: Partial<Record<keyof Settings, unknown>> = {
      batchSize: 1,
      temperature: 9,
      theme: 'pink',
      trial: '../x',
    };
    for (const [name, value] of Object.entries(bad)) {
      expect(settingsChangesSchema.safeParse({ [name]: value }).success, name).toBe(false);
    }
  });
});

describe('ipcContract', () => {
  it('has every channel and event of the allow-list, and no other', () => {
    expect(Object.keys(ipcContract).sort()).toEqual([...IPC_CHANNELS].sort());
    expect(Object.keys(ipcEventContract).sort()).toEqual([...IPC_EVENTS].sort());
  });
});
