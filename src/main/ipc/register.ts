import { ipcMain, type WebFrameMain } from 'electron';
import { IPC_CHANNELS, type IpcChannel } from '../../shared/ipc/channels';
import { ipcContract } from '../../shared/ipc/contract';
import type { IpcHandlers } from './handler';

/**
 * The only place where the page's calls enter: the sender is checked and the request parsed before a handler sees it.
 *
 * @param isTrusted - decides by the sender frame's address
 */
export function registerIpc(handlers: IpcHandlers, isTrusted: (url: string) => boolean): void {
  for (const channel of IPC_CHANNELS) {
    ipcMain.handle(channel, (event, request: unknown) => {
      if (!isTrustedSender(event.senderFrame, isTrusted))
        throw new Error(`${channel}: the sender is not the studio's page`);
      return answer(handlers, channel, request);
    });
  }
}

/** Parses the request, asks the handler, checks the reply. Apart from the transport, so that it is tested without a window. */
export async function answer(handlers: IpcHandlers, channel: IpcChannel, request: unknown): Promise<unknown> {
  const contract = ipcContract[channel];
  // Electron turns undefined into null on its way.
  const parsed = contract.request.safeParse(request ?? undefined);
  if (!parsed.success) throw new Error(`${channel}: ${parsed.error.issues[0]?.message ?? 'the request is not valid'}`);
  // The contract maps this channel to this schema and this handler; the compiler cannot follow the indexed access.
  const handler = handlers[channel] as (request: unknown) => unknown;
  return contract.reply.parse(await handler(parsed.data));
}

/** Newer Electrons give null for a frame that has navigated away or gone. Frames inside the page are never trusted. */
function isTrustedSender(frame: WebFrameMain | null, isTrusted: (url: string) => boolean): boolean {
  return frame !== null && frame.parent === null && isTrusted(frame.url);
}
