import { describe, expect, it } from 'vitest';
import { ipcContract, settingsSchema } from '../../../shared/ipc/contract';
import type { Studio } from '../../../studio/studio';
import { fakeGateway } from '../../../studio/testing/fake-gateway';
import { StudioHost } from '../../studio-host';
import { processHandlers } from './processes';

async function startStudio(): Promise<Studio> {
  const gateway = await fakeGateway().open({
    dataDir: '/data',
    modelPath: '/model',
    host: '127.0.0.1',
    port: 0,
    settings: settingsSchema.parse({}),
    gatewaySettings: {},
    allowedOrigins: [],
    isDemoModel: false,
    engine: { current: () => null, subscribe: () => () => {} },
    trainer: { subscribe: () => () => {}, send: () => false },
    log: () => {},
  });
  return {
    gateway,
    logDir: '/data/logs',
    processes: () => [],
    processLog: () => [],
    restartProcess: async () => {},
    trouble: () => [],
    subscribe: () => () => {},
    stop: async () => {},
  };
}

const addressOf = async (start: () => Promise<Studio>) =>
  ipcContract['gateway-address'].reply.parse(
    await processHandlers(new StudioHost(start, [], () => {}))['gateway-address'](undefined),
  );

describe('gateway-address', () => {
  it('says where the gateway is, its key, and the file where other programs find the key', async () => {
    expect(await addressOf(startStudio)).toEqual({
      url: 'http://127.0.0.1:1',
      token: 'key',
      tokenPath: '/data/admin-key',
      trouble: [],
    });
  });

  it('names no address and no file when the gateway could not start', async () => {
    const reply = await addressOf(async () => {
      throw new Error('The port is taken.');
    });
    expect(reply).toMatchObject({ url: null, tokenPath: null, trouble: [{ message: 'The port is taken.' }] });
  });
});
