import type { InteractionId } from '../../shared/domain/ids';

/** One turn of a conversation tree; in every list a parent precedes its children. */
export interface TreeTurn {
  readonly interactionId: InteractionId;
  /** null for a root; a parent that is not in the list counts as none */
  readonly parentId: InteractionId | null;
  /** null = nothing was said about it */
  readonly reward: number | null;
}

/**
 * Returns along the branches of a conversation: G_i = r_i + γ · mean of G over i's children.
 *
 * A reward flows to ancestors only, so what happened on one branch never reaches its siblings. The mean, as in AReaL's
 * proposal (PR 1666), keeps a turn's return independent of how often it was continued: with the sum, asking twice for
 * the next turn would double what the first one earned. On a single chain this is exactly the linear discount.
 *
 * Null where nothing speaks of a turn: no own reward and, with γ > 0, none below it. Such a child is not part of the
 * mean: silence is no verdict.
 *
 * @param turnDiscount - γ in [0, 1]
 * @returns same length and order; finite when the rewards are
 */
export function treeCredits(turns: readonly TreeTurn[], turnDiscount: number): (number | null)[] {
  if (turnDiscount === 0) return turns.map((turn) => turn.reward);
  const below = new Map<InteractionId, { sum: number; count: number }>();
  const credits = new Array<number | null>(turns.length).fill(null);
  for (let k = turns.length - 1; k >= 0; k -= 1) {
    const turn = turns[k];
    if (turn === undefined) continue;
    const children = below.get(turn.interactionId);
    if (turn.reward === null && children === undefined) continue;
    const credit = (turn.reward ?? 0) + (children === undefined ? 0 : turnDiscount * (children.sum / children.count));
    credits[k] = credit;
    if (turn.parentId === null) continue;
    const siblings = below.get(turn.parentId);
    if (siblings === undefined) below.set(turn.parentId, { sum: credit, count: 1 });
    else {
      siblings.sum += credit;
      siblings.count += 1;
    }
  }
  return credits;
}

/**
 * The unbranched stretches of a conversation: a turn shares its parent's stretch iff it is the parent's only child.
 *
 * @returns for each turn the first turn of its stretch; a single chain is one stretch
 */
export function branchHeads(turns: readonly Omit<TreeTurn, 'reward'>[]): Map<InteractionId, InteractionId> {
  const children = new Map<InteractionId, number>();
  for (const { parentId } of turns) if (parentId !== null) children.set(parentId, (children.get(parentId) ?? 0) + 1);
  const heads = new Map<InteractionId, InteractionId>();
  for (const { interactionId, parentId } of turns) {
    const inherited = parentId !== null && children.get(parentId) === 1 ? heads.get(parentId) : undefined;
    heads.set(interactionId, inherited ?? interactionId);
  }
  return heads;
}
