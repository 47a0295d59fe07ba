import type { StudioHost } from '../../studio-host';
import type { IpcHandlers } from '../handler';

type ProcessChannel = 'gateway-address' | 'processes-list' | 'process-restart' | 'process-log';

/** Where the gateway answers, and what the children do. */
export function processHandlers(host: StudioHost): Pick<IpcHandlers, ProcessChannel> {
  return {
    'gateway-address': async () => {
      const studio = await host.started();
      return {
        url: studio?.gateway.url ?? null,
        token: studio?.gateway.adminKey ?? '',
        tokenPath: studio?.gateway.adminKeyPath ?? null,
        trouble: [...host.trouble()],
      };
    },
    'processes-list': async () => (await host.started())?.processes() ?? [],
    'process-restart': async ({ name }) => {
      await (await host.running()).restartProcess(name);
      return undefined;
    },
    'process-log': async ({ name }) => ({ lines: (await host.started())?.processLog(name) ?? [] }),
  };
}
