import type { IpcChannel } from '../../shared/ipc/channels';
import type { IpcReply, IpcRequest } from '../../shared/ipc/contract';

/** What answers one channel. A throw reaches the page as a rejected call. */
export type IpcHandler<C extends IpcChannel> = (request: IpcRequest<C>) => IpcReply<C> | Promise<IpcReply<C>>;

/** Every channel has a handler: a missing or extra one does not compile. */
export type IpcHandlers = { readonly [C in IpcChannel]: IpcHandler<C> };
