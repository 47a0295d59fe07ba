import { chooseToken, Distribution } from './sampler';
import { seededUniform } from './seeded-uniform';
import type { LogprobPair, Sequence, TokenEvidence } from './sequence';

const NO_BAN: ReadonlySet<number> = new Set();

/** Draws the sequence's next token from the logits after its last one; null on numeric failure. */
export function drawNext(
  sequence: Sequence,
  logits: Float32Array,
): (TokenEvidence & { readonly logprob: number }) | null {
  const { call } = sequence;
  const isTooShort = sequence.output.length < call.minNewTokens;
  const uniform = seededUniform(call.seed, sequence.length);
  const choice = chooseToken(logits, call.shape, uniform, isTooShort ? call.stopTokenIds : NO_BAN);
  return choice === null
    ? null
    : { id: choice.id, logprob: choice.logprob, ...alternatives(sequence, choice.distribution) };
}

/** Log-probs of the prompt itself; `logits` holds one row per prompt position. */
export function promptEvidence(sequence: Sequence, logits: Float32Array, vocabSize: number): TokenEvidence[] {
  const { promptIds, promptLogprobsFrom, shape } = sequence.call;
  if (promptLogprobsFrom === null) return [];
  return promptIds.slice(promptLogprobsFrom).map((id, i) => {
    const position = (promptLogprobsFrom + i - 1) * vocabSize;
    if (position < 0) return { id, logprob: null, top: null, chosen: null };
    const distribution = Distribution.of(logits.subarray(position, position + vocabSize), shape.temperature);
    if (distribution === null) return { id, logprob: null, top: null, chosen: null };
    return { id, logprob: distribution.logprob(id), ...alternatives(sequence, distribution) };
  });
}

function alternatives(sequence: Sequence, distribution: Distribution): Pick<TokenEvidence, 'top' | 'chosen'> {
  const { topLogprobs, logprobIds } = sequence.call;
  const pair = (id: number): LogprobPair => [distribution.logprob(id), id];
  return {
    top: topLogprobs > 0 ? distribution.ranked().slice(0, topLogprobs).map(pair) : null,
    chosen: logprobIds.length > 0 ? logprobIds.map(pair) : null,
  };
}
