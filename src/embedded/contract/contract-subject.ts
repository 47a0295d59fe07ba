import type { EngineClient } from './engine-client';

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
