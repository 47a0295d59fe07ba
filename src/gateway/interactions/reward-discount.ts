import type { InteractionId } from '../../shared/domain/ids';
import type { DiscountMode, UnratedPolicy } from '../../shared/domain/session';
import type { TurnFacts } from '../../shared/domain/turn-facts';
import { treeCredits } from './tree-discount';

/**
 * Returns after turn discount: R_n = r_n, R_k = r_k + γ · R_{k+1}, over arrival order; an unset reward adds nothing.
 *
 * @param rewards - one per interaction of the session, in arrival order; null = not rated
 * @param turnDiscount - γ in [0, 1]
 * @returns same length; all finite when the rewards are
 * @remarks AReaL's `apply_reward_discount`, which is linear too: it follows arrival order, not the conversation tree.
 */
export function discountRewards(rewards: readonly (number | null)[], turnDiscount: number): number[] {
  const returns = new Array<number>(rewards.length);
  let next = 0;
  for (let k = rewards.length - 1; k >= 0; k -= 1) {
    next = (rewards[k] ?? 0) + turnDiscount * next;
    returns[k] = next;
  }
  return returns;
}

/**
 * Like {@link discountRewards}, but null where no rating says anything: no own reward and, with γ > 0, no later one.
 *
 * AReaL reads a missing reward as 0; silence is not a verdict, so here it stays null and is never trained.
 */
export function creditRewards(rewards: readonly (number | null)[], turnDiscount: number): (number | null)[] {
  if (turnDiscount === 0) return [...rewards];
  const returns = discountRewards(rewards, turnDiscount);
  const lastRated = rewards.reduce<number>((last, reward, k) => (reward === null ? last : k), -1);
  return returns.map((value, k) => (k <= lastRated ? value : null));
}

/** How rewards become returns. */
export interface DiscountRule {
  /** γ in [0, 1] */
  readonly turnDiscount: number;
  readonly discountMode: DiscountMode;
  readonly unratedPolicy: UnratedPolicy;
}

/**
 * The return of every turn under a session's rule; null where nothing speaks of it.
 *
 * With the policy `zero` an unrated finished answer counts as 0 (AReaL); an answer that never finished is no outcome
 * and stays unknown.
 *
 * @param turns - arrival order; orphans left out by the caller
 */
export function creditTurns(
  rule: DiscountRule,
  turns: readonly Pick<TurnFacts, 'interactionId' | 'parentId' | 'reward' | 'state'>[],
): ReadonlyMap<InteractionId, number | null> {
  const counted = turns.map(({ interactionId, parentId, reward, state }) => ({
    interactionId,
    parentId,
    reward: reward === null && rule.unratedPolicy === 'zero' && state === 'finished' ? 0 : reward,
  }));
  const credits =
    rule.discountMode === 'tree'
      ? treeCredits(counted, rule.turnDiscount)
      : creditRewards(
          counted.map((turn) => turn.reward),
          rule.turnDiscount,
        );
  return new Map(counted.map((turn, k) => [turn.interactionId, credits[k] ?? null]));
}
