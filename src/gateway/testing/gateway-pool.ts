import { createTestGateway, type TestGateway } from './test-gateway';

/** The gateways of one test, closed together behind it. */
export class GatewayPool {
  readonly #gateways: TestGateway[] = [];

  readonly create = (options?: Parameters<typeof createTestGateway>[0]): TestGateway => {
    const gateway = createTestGateway(options);
    this.#gateways.push(gateway);
    return gateway;
  };

  async close(): Promise<void> {
    for (const gateway of this.#gateways.splice(0)) await gateway.close();
  }
}
