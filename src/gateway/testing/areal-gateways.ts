import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GatewayConfigInput } from '../config';
import { ArealClient, TalkingTrainer } from './areal-client';
import { createTestGateway, type TestGateway } from './test-gateway';

/** A gateway that listens, and the two trainers it may have. */
export interface ArealGateway {
  readonly test: TestGateway;
  readonly url: string;
  /** calls it without a socket */
  readonly areal: ArealClient;
  /** calls it over one */
  readonly remote: ArealClient;
  /** the one that trains here; it is not connected before it is told to be */
  readonly trainer: TalkingTrainer;
}

/** The gateways of one test, and the folders that outlive them for a restart. */
export class ArealGateways {
  readonly #folders: string[] = [];
  readonly #gateways: TestGateway[] = [];

  /** @param dataDir - an earlier gateway's folder: a restart */
  async start(config: Partial<GatewayConfigInput> = {}, dataDir?: string): Promise<ArealGateway> {
    const trainer = new TalkingTrainer();
    const test = createTestGateway({ config, trainerLink: trainer, dataDir });
    this.#gateways.push(test);
    const { url } = await test.gateway.listen();
    return { test, url, areal: ArealClient.of(test), remote: ArealClient.at(url), trainer };
  }

  folder(): string {
    const path = mkdtempSync(join(tmpdir(), 'areal-'));
    this.#folders.push(path);
    return path;
  }

  async close(): Promise<void> {
    for (const gateway of this.#gateways.splice(0)) await gateway.close();
    for (const folder of this.#folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  }
}
