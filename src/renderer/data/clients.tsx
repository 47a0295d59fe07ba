import { createContext, type ReactNode, useContext } from 'react';
import type { DesktopClient } from './desktop-client';
import type { GatewayClient } from './gateway-client';

export interface Clients {
  readonly gateway: GatewayClient;
  readonly desktop: DesktopClient;
}

const ClientsContext = createContext<Clients | null>(null);

export function ClientsProvider({ clients, children }: { clients: Clients; children: ReactNode }) {
  return <ClientsContext value={clients}>{children}</ClientsContext>;
}

/** The two doors of the renderer: gateway (data, HTTP) and desktop (IPC). */
export function useClients(): Clients {
  const clients = useContext(ClientsContext);
  if (clients === null) throw new Error('useClients needs a ClientsProvider above it');
  return clients;
}
