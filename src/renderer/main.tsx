import '@mantine/core/styles.css';
import './theme/tokens.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { applyRememberedScheme } from './app/first-scheme';
import { Providers } from './app/providers';
import { Shell } from './app/shell';
import { createDesktopClient } from './data/desktop-client';
import { createGatewayClient } from './data/gateway-client';
import { createGatewayTransport } from './data/gateway-request';
import { createQueryClient } from './data/query-client';

applyRememberedScheme();

const desktop = createDesktopClient();
const clients = { desktop, gateway: createGatewayClient(createGatewayTransport(desktop)) };
const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <Providers clients={clients} queryClient={createQueryClient()}>
      <Shell />
    </Providers>
  </StrictMode>,
);
