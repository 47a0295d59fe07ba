import type { SamplingShape } from './sampler';
import type { FinishReason } from './stop-conditions';
import type { TextOutput } from './text-output';

/** One accepted generate call. */
export interface GenerateCall {
  readonly rid: string;
  readonly promptIds: readonly number[];
  readonly shape: SamplingShape;
  readonly seed: number;
  /** already clipped to what the context holds */
  readonly maxNewTokens: number;
  readonly minNewTokens: number;
  readonly stopTokenIds: ReadonlySet<number>;
  readonly topLogprobs: number;
  readonly logprobIds: readonly number[];
  /** first prompt position whose log-probs are wanted; null for none */
  readonly promptLogprobsFrom: number | null;
}

/** Evidence of one position: its log-prob and the alternatives that were asked for. */
export interface TokenEvidence {
  readonly id: number;
  /** null only for the first prompt token, which nothing predicts */
  readonly logprob: number | null;
  readonly top: readonly LogprobPair[] | null;
  readonly chosen: readonly LogprobPair[] | null;
}

export type LogprobPair = readonly [logprob: number, id: number];

export interface OutputToken extends TokenEvidence {
  readonly logprob: number;
  readonly version: string;
  /** text that became certain with this token */
  readonly text: string;
}

/** Told about progress; the scheduler never waits for it. */
export interface SequenceListener {
  onToken(): void;
  onEnd(): void;
}

/** A call on its way through the scheduler: waiting, then in a row of the batch, then ended. */
export class Sequence {
  readonly call: GenerateCall;
  readonly text: TextOutput;
  readonly startedAtMs: number;
  listener: SequenceListener = { onToken: () => undefined, onEnd: () => undefined };
  readonly output: OutputToken[] = [];
  readonly promptEvidence: TokenEvidence[] = [];
  /** text after the last token's own, known only at the end of an interrupted answer */
  tailText = '';
  /** place in the order of arrival: when memory is short, the youngest gives way */
  arrival = 0;
  /** row of the batch, null while waiting */
  row: number | null = null;
  /** positions whose keys and values are in the cache */
  cached = 0;
  /** prompt positions that came from the prompt cache when the call was first admitted */
  reused = 0;
  retractions = 0;
  finish: FinishReason | null = null;

  constructor(call: GenerateCall, text: TextOutput, startedAtMs: number) {
    this.call = call;
    this.text = text;
    this.startedAtMs = startedAtMs;
  }

  /** Prompt and output together. */
  get length(): number {
    return this.call.promptIds.length + this.output.length;
  }

  tokenAt(position: number): number {
    const { promptIds } = this.call;
    return promptIds[position] ?? this.output[position - promptIds.length]?.id ?? 0;
  }

  allIds(): number[] {
    return [...this.call.promptIds, ...this.output.map((token) => token.id)];
  }
}
