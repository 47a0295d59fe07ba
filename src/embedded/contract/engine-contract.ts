import { afterAll, beforeAll, describe } from 'vitest';
import { controlContract } from './control-contract';
import { EngineClient } from './engine-client';
import { generateContract } from './generate-contract';
import { processContract } from './process-contract';
import { refusalContract } from './refusal-contract';
import { weightContract } from './weight-contract';

/** A started engine and the levers a test may pull. */
export interface EngineUnderTest {
  readonly url: string;
  readonly apiKey: string | null;
  /** polite end (SIGTERM); resolves with the exit code, or null where the engine is not ours to end */
  readonly stop: () => Promise<number | string | null>;
  /** sudden end (SIGKILL) */
  readonly kill: () => Promise<void>;
}

/** What an engine promises; cases that need more than it has are skipped, and named as skipped. */
export interface EngineCapabilities {
  /** equal seeds give equal tokens, whatever else runs, and a resubmitted prefix continues the same stream */
  readonly deterministic: boolean;
  /** the tests may start and end engines */
  readonly ownProcess: boolean;
  /** folders on the engine's machine: other weights of the served shape, and a damaged set; null skips weight updates */
  readonly weights: { readonly served: string; readonly other: string; readonly broken: string } | null;
}

export interface EngineContractOptions {
  readonly name: string;
  readonly start: (extraArguments?: readonly string[]) => Promise<EngineUnderTest>;
  readonly capabilities: EngineCapabilities;
}

/** What every group of cases gets. */
export interface ContractContext {
  /** the engine shared by the cases of one group */
  readonly engine: () => EngineClient;
  readonly options: EngineContractOptions;
}

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
