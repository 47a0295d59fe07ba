import { BrowserWindow } from 'electron';
import type { IpcEvent } from '../../shared/ipc/channels';
import type { IpcPayload } from '../../shared/ipc/contract';

/** Tells every window. */
export function pushEvent<E extends IpcEvent>(event: E, payload: IpcPayload<E>): void {
  for (const window of BrowserWindow.getAllWindows()) {
    if (!window.isDestroyed() && !window.webContents.isDestroyed()) window.webContents.send(event, payload);
  }
}
