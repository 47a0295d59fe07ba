import type { InteractionId } from '../../shared/domain/ids';
import type { Interaction } from '../../shared/domain/interaction';
import type { TokenRecord } from '../../shared/domain/token-record';
import { err, ok, type Result } from '../../shared/lib/result';

/** Prompt then output; the prompt carries mask 0, log-prob 0 and version −1. Length T = prompt + output. */
export function interactionTokens(interaction: Interaction): TokenRecord {
  const context = interaction.promptTokenIds.length;
  return {
    tokenIds: [...interaction.promptTokenIds, ...interaction.outputTokenIds],
    logprobs: [...filled(context, 0), ...interaction.outputLogprobs],
    lossMask: [...filled<0 | 1>(context, 0), ...filled<0 | 1>(interaction.outputTokenIds.length, 1)],
    versions: [...filled(context, -1), ...interaction.outputVersions],
  };
}

/** How many stored ancestors an interaction has; 0 = root. Parents precede their children in arrival order. */
export function turnDepths(interactions: readonly Interaction[]): ReadonlyMap<InteractionId, number> {
  const depths = new Map<InteractionId, number>();
  for (const { id, parentId } of interactions) {
    depths.set(id, parentId === null ? 0 : (depths.get(parentId) ?? -1) + 1);
  }
  return depths;
}

/** A conversation whose turns cannot be one row: the engine was shown other tokens than parent + answer. */
export interface ConcatRefusal {
  readonly kind: 'not-a-continuation';
  readonly interactionId: InteractionId;
  readonly parentId: InteractionId;
}

/** A leaf of the conversation tree with its ancestors folded in. */
export interface LeafRow {
  readonly leaf: Interaction;
  readonly tokens: TokenRecord;
  /** per token: turn that sampled it, −1 on context */
  readonly turnIds: readonly number[];
}

/**
 * Concat style: one row per leaf, every ancestor's output trained in place, the text between turns masked.
 *
 * Decided on ids, never on text: a child extends its parent only if its prompt starts with exactly the parent's prompt
 * and output. Chat templates that rewrite earlier turns break this, and then the whole conversation is refused.
 *
 * @param finished - finished interactions of one session in arrival order
 * @param untrained - answers that must not be trained: context where the conversation went on from them, else left out
 */
export function concatRows(
  finished: readonly Interaction[],
  untrained: ReadonlySet<InteractionId> = new Set(),
): Result<LeafRow[], ConcatRefusal> {
  const rows = new Map<InteractionId, LeafRow>();
  const parents = new Set<InteractionId>();
  for (const interaction of withoutDeadEnds(finished, untrained)) {
    const parent = interaction.parentId === null ? undefined : rows.get(interaction.parentId);
    if (parent !== undefined && !startsWith(interaction.promptTokenIds, parent.tokens.tokenIds)) {
      return err({ kind: 'not-a-continuation', interactionId: interaction.id, parentId: parent.leaf.id });
    }
    if (parent !== undefined) parents.add(parent.leaf.id);
    rows.set(interaction.id, extend(interaction, parent, untrained.has(interaction.id)));
  }
  return ok([...rows.values()].filter((row) => !parents.has(row.leaf.id)));
}

/** Without the untrained answers that lead to no trained one. */
function withoutDeadEnds(finished: readonly Interaction[], untrained: ReadonlySet<InteractionId>): Interaction[] {
  const kept: Interaction[] = [];
  const parents = new Set<InteractionId | null>();
  for (const interaction of [...finished].reverse()) {
    if (untrained.has(interaction.id) && !parents.has(interaction.id)) continue;
    parents.add(interaction.parentId);
    kept.push(interaction);
  }
  return kept.reverse();
}

function extend(interaction: Interaction, parent: LeafRow | undefined, isContext: boolean): LeafRow {
  const own = isContext ? asContext(interactionTokens(interaction)) : interactionTokens(interaction);
  const output = interaction.outputTokenIds.length;
  const inherited = parent?.tokens.tokenIds.length ?? 0;
  const turn = isContext ? -1 : Math.max(-1, ...new Set(parent?.turnIds ?? [])) + 1;
  const gap = interaction.promptTokenIds.length - inherited;
  return {
    leaf: interaction,
    tokens: {
      tokenIds: own.tokenIds,
      logprobs: [...(parent?.tokens.logprobs ?? []), ...own.logprobs.slice(inherited)],
      lossMask: [...(parent?.tokens.lossMask ?? []), ...own.lossMask.slice(inherited)],
      versions: [...(parent?.tokens.versions ?? []), ...own.versions.slice(inherited)],
    },
    turnIds: [...(parent?.turnIds ?? []), ...filled(gap, -1), ...filled(output, turn)],
  };
}

function asContext({ tokenIds }: TokenRecord): TokenRecord {
  const { length } = tokenIds;
  return { tokenIds, logprobs: filled(length, 0), lossMask: filled<0 | 1>(length, 0), versions: filled(length, -1) };
}

function startsWith(whole: readonly number[], prefix: readonly number[]): boolean {
  return prefix.length <= whole.length && prefix.every((id, k) => whole[k] === id);
}

function filled<T>(length: number, value: T): T[] {
  return new Array<T>(length).fill(value);
}
