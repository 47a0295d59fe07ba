import type { IpcChannel, IpcEvent } from '../../shared/ipc/channels';
import {
  type IpcPayload,
  type IpcReply,
  type IpcRequest,
  ipcContract,
  ipcEventContract,
} from '../../shared/ipc/contract';
import type { StudioBridge } from './studio-bridge';

/** The desktop's door: typed by the IPC contract, replies parsed at the rim. */
export interface DesktopClient {
  invoke<C extends IpcChannel>(channel: C, request: IpcRequest<C>): Promise<IpcReply<C>>;
  subscribe<E extends IpcEvent>(event: E, listener: (payload: IpcPayload<E>) => void): () => void;
}

export function createDesktopClient(bridge: StudioBridge | undefined = window.studio): DesktopClient {
  return {
    async invoke(channel, request) {
      if (bridge === undefined) throw new Error('This page runs outside the studio: window.studio is missing.');
      const reply = await bridge.invoke(channel, request);
      // The contract maps this channel to this schema; the compiler cannot follow the indexed access.
      return ipcContract[channel].reply.parse(reply) as IpcReply<typeof channel>;
    },
    subscribe(event, listener) {
      if (bridge === undefined) return () => {};
      return bridge.subscribe(event, (payload) => {
        const parsed = ipcEventContract[event].safeParse(payload);
        // Same indexed access as above. A payload that does not parse is a hint lost, not a reason to crash.
        if (parsed.success) listener(parsed.data as IpcPayload<typeof event>);
      });
    },
  };
}
