import { configure, render } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { vi } from 'vitest';
import { Providers } from '../app/providers';
import { createDesktopClient } from '../data/desktop-client';
import { createGatewayClient } from '../data/gateway-client';
import { createGatewayTransport } from '../data/gateway-request';
import { createQueryClient } from '../data/query-client';
import { FakeDesktop } from './fake-desktop';
import { FakeGateway } from './fake-gateway';

/** What jsdom lacks and the screens ask for: layout questions with plain answers. */
export function prepareDom(): void {
  // Waits are for states, not for a fast machine.
  configure({ asyncUtilTimeout: 20_000 });
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: false,
    media: query,
    addEventListener: () => {},
    removeEventListener: () => {},
    addListener: () => {},
    removeListener: () => {},
  }));
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe(): void {}
      unobserve(): void {}
      disconnect(): void {}
    },
  );
  vi.stubGlobal('CSS', { escape: (text: string) => text });
  Element.prototype.scrollIntoView = () => {};
  Object.defineProperty(document, 'fonts', { configurable: true, value: new EventTarget() });
  // A virtual list draws what fits into its scroller; jsdom has no layout, so give everything a size.
  for (const name of ['clientHeight', 'clientWidth', 'offsetHeight', 'offsetWidth']) {
    Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => 400 });
  }
}

/** A screen over a fake gateway at network level and a fake desktop behind the bridge; nothing of ours is mocked. */
export function renderScreen(screen: ReactNode, given: { desktop?: FakeDesktop; gateway?: FakeGateway } = {}) {
  const desktop = given.desktop ?? new FakeDesktop();
  const gateway = given.gateway ?? new FakeGateway();
  vi.stubGlobal('fetch', gateway.fetch);
  const client = createDesktopClient(desktop);
  const clients = { desktop: client, gateway: createGatewayClient(createGatewayTransport(client)) };
  const view = render(
    <Providers clients={clients} queryClient={createQueryClient()}>
      {screen}
    </Providers>,
  );
  return { desktop, gateway, user: userEvent.setup({ delay: null }), ...view };
}
