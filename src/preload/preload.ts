import { contextBridge, type IpcRendererEvent, ipcRenderer } from 'electron';
import { IPC_CHANNELS, IPC_EVENTS } from '../shared/ipc/channels';

const channels: ReadonlySet<string> = new Set(IPC_CHANNELS);
const events: ReadonlySet<string> = new Set(IPC_EVENTS);

/** The page's only door to the desktop: two functions, and only names of the contract. */
const studio = {
  invoke(channel: string, request?: unknown): Promise<unknown> {
    if (!channels.has(channel)) return Promise.reject(new Error(`There is no channel "${channel}".`));
    return ipcRenderer.invoke(channel, request);
  },
  subscribe(event: string, listener: (payload: unknown) => void): () => void {
    if (!events.has(event)) throw new Error(`There is no event "${event}".`);
    // The event object stays here: it would hand the page a sender to send with.
    const forward = (_event: IpcRendererEvent, payload: unknown): void => listener(payload);
    ipcRenderer.on(event, forward);
    return () => ipcRenderer.off(event, forward);
  },
};

contextBridge.exposeInMainWorld('studio', studio);
