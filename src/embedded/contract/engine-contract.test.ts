import { mkdtempSync } from 'node:fs';
import { cp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { buildProgram } from '../../../scripts/build-programs.mjs';
import { writeTinyCheckpoint } from '../model/testing/tiny-checkpoint';
import { engineContract } from './engine-contract';
import { exitOf, startProcess } from './engine-process';

/**
 * Runs against our engine by default, or against any engine that is already up:
 * `PLAUDIT_ENGINE_URL=http://… [PLAUDIT_ENGINE_API_KEY=…] npx vitest run src/embedded/contract`. Folders for weight updates, on
 * that engine's machine: `PLAUDIT_ENGINE_WEIGHTS`, `PLAUDIT_ENGINE_OTHER_WEIGHTS`, `PLAUDIT_ENGINE_BROKEN_WEIGHTS`.
 */
const url = process.env.PLAUDIT_ENGINE_URL;
if (url !== undefined) againstRunning(url);
else againstOurs();

function againstRunning(engineUrl: string): void {
  const apiKey = process.env.PLAUDIT_ENGINE_API_KEY ?? null;
  const {
    PLAUDIT_ENGINE_WEIGHTS: served,
    PLAUDIT_ENGINE_OTHER_WEIGHTS: other,
    PLAUDIT_ENGINE_BROKEN_WEIGHTS: broken,
  } = process.env;
  const hasWeights = served !== undefined && other !== undefined && broken !== undefined;
  engineContract({
    name: engineUrl,
    start: async () => ({ url: engineUrl, apiKey, stop: async () => null, kill: async () => undefined }),
    capabilities: {
      deterministic: process.env.PLAUDIT_ENGINE_DETERMINISTIC === '1',
      ownProcess: false,
      weights: hasWeights ? { served, other, broken } : null,
    },
  });
}

function againstOurs(): void {
  const folder = mkdtempSync(join(tmpdir(), 'plaudit-contract-'));
  const weights = { served: join(folder, 'served'), other: join(folder, 'other'), broken: join(folder, 'broken') };
  let program = '';

  beforeAll(async () => {
    const config = { maxPositions: 1024 };
    await writeTinyCheckpoint(weights.served, { seed: 1, config });
    await writeTinyCheckpoint(weights.other, { seed: 2, config });
    await cp(weights.other, weights.broken, { recursive: true });
    await truncate(join(weights.broken, 'model.safetensors'), 20_000);
    const built = await buildProgram('engine', { outDir: folder });
    if (built === null) throw new Error('the engine has no entry to bundle');
    program = built;
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  engineContract({
    name: 'embedded',
    start: async (extraArguments = []) => {
      const { url, child } = await startProcess({
        program,
        arguments: ['--model-path', weights.served, '--port', '0', '--exit-on-stdin-eof', ...extraArguments],
      });
      return {
        url,
        apiKey: null,
        stop: () => {
          child.kill('SIGTERM');
          return exitOf(child);
        },
        kill: async () => {
          child.kill('SIGKILL');
          await exitOf(child);
        },
      };
    },
    capabilities: { deterministic: true, ownProcess: true, weights },
  });
}
