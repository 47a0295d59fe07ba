import { afterAll, beforeAll, describe } from 'vitest';
import type { EngineContractOptions, EngineUnderTest } from './contract-subject';
import { controlContract } from './control-contract';
import { EngineClient } from './engine-client';
import { generateContract } from './generate-contract';
import { processContract } from './process-contract';
import { refusalContract } from './refusal-contract';
import { weightContract } from './weight-contract';

/**
 * The contract tests, written once for every engine: SGLang's own, vLLM's behind its driver's face, or ours. Each case is about
 * what a client can see over HTTP.
 */
export function engineContract(options: EngineContractOptions): void {
  const groups = [
    ['generate', generateContract],
    ['control', controlContract],
    ['weights', weightContract],
    ['refusals', refusalContract],
  ] as const;
  describe(`engine contract: ${options.name}`, () => {
    for (const [title, cases] of groups) {
      describe(title, () => {
        let started: EngineUnderTest | undefined;
        beforeAll(async () => {
          started = await options.start();
        });
        afterAll(async () => {
          await started?.stop();
        });
        cases({
          options,
          engine: () => {
            if (started === undefined) throw new Error('the engine has not been started');
            return new EngineClient(started.url, started.apiKey);
          },
        });
      });
    }
    describe('process', () => processContract(options));
  });
}
