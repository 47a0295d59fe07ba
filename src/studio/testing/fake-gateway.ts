import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ok } from '../../shared/lib/result';
import type { EngineWeights } from '../../supervisor/embedded-engine-command';
import type { GatewayHandle, OpenGatewayOptions } from '../gateway-handle';

/** A gateway that only remembers what it was asked, in order. */
export interface FakeGateway {
  readonly asked: string[];
  options: OpenGatewayOptions | null;
  weights: EngineWeights[];
  open(options: OpenGatewayOptions): Promise<GatewayHandle>;
}

export function fakeGateway(): FakeGateway {
  const fake: FakeGateway = {
    asked: [],
    options: null,
    weights: [],
    async open(options) {
      fake.options = options;
      fake.asked.push('open');
      if (fake.weights.length === 0) fake.weights = [{ path: options.modelPath, version: 0 }];
      return {
        url: 'http://127.0.0.1:1',
        adminKey: 'key',
        adminKeyPath: join(options.dataDir, 'admin-key'),
        runDir: join(options.dataDir, 'run'),
        dumpDir: join(options.dataDir, 'dumps'),
        weightsNewestFirst: () => fake.weights,
        openTrajectories: async (path) =>
          ok({ id: path, kind: 'file', path, files: 1, records: 0, bad_lines: 0, size_bytes: 0, indexed: true }),
        changeTraining: () => fake.asked.push('change-training'),
        stopIntake: () => fake.asked.push('stop-intake'),
        close: async () => {
          fake.asked.push('close');
        },
      };
    },
  };
  return fake;
}

/** A folder that looks like a model to everything but an engine. */
export function makeModelFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const name of ['config.json', 'tokenizer.json', 'model.safetensors']) writeFileSync(join(folder, name), '{}');
  return folder;
}
