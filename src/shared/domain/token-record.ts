/**
 * Token-level evidence of one interaction: parallel arrays of one length T = prompt + output.
 *
 * Position t describes token t given the tokens before it (not shifted).
 */
export interface TokenRecord {
  /** length T, vocabulary ids */
  readonly tokenIds: readonly number[];
  /** length T, natural log of the behaviour probability at the sampling temperature; 0 on prompt tokens */
  readonly logprobs: readonly number[];
  /** length T, 1 = sampled by the policy, 0 = prompt or context */
  readonly lossMask: readonly (0 | 1)[];
  /** length T, weight version that sampled the token; −1 where lossMask is 0 */
  readonly versions: readonly number[];
}
