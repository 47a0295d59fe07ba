import type { SessionId } from '../../shared/domain/ids';
import type { Interaction } from '../../shared/domain/interaction';
import type { TokenRecord } from '../../shared/domain/token-record';
import { err, ok, type Result } from '../../shared/lib/result';
import { creditRewards } from '../interactions/reward-discount';
import { type Refusal, refusal } from '../platform/refusal';
import { concatRows, interactionTokens } from '../rollouts/token-rows';
import { encodeTensor, type WireTensor } from '../rollouts/wire-tensor';
import type { InteractionStore } from '../store/interactions';
import type { RewardStore } from '../store/rewards';
import type { SessionStore } from '../store/sessions';

export interface ExportPorts {
  readonly sessions: SessionStore;
  readonly interactions: InteractionStore;
  readonly rewards: RewardStore;
}

export interface ExportRequest {
  readonly sessionId: SessionId;
  /** γ of this export; the session's own γ decides what is trained here */
  readonly discount: number;
  readonly style: 'individual' | 'concat';
}

/** One record of AReaL's export; `reward` is null where no rating speaks of it. */
export interface ExportedInteraction {
  readonly tensor_dict: Readonly<Record<string, WireTensor>>;
  readonly reward: number | null;
  readonly interaction_id: string;
}

/**
 * A session as AReaL's trainers read it: tensors of shape [1, L] per record, in arrival order.
 *
 * Nothing is removed and the call can be repeated. An open session is exported as it stands instead of blocking until
 * it ends: a reader that must not see it unfinished asks `/rl/sessions/{id}` first.
 */
export function exportTrajectories(
  ports: ExportPorts,
  { sessionId, discount, style }: ExportRequest,
): Result<Record<string, ExportedInteraction>, Refusal> {
  if (ports.sessions.find(sessionId) === null) return err(refusal('not-found', `Session ${sessionId} not found.`));
  const all = ports.interactions.listOfSession(sessionId);
  const raw = new Map(ports.rewards.listOfSession(sessionId).map((reward) => [reward.interactionId, reward.value]));
  const credits = creditRewards(
    all.map(({ id }) => raw.get(id) ?? null),
    discount,
  );
  const creditOf = new Map(all.map(({ id }, k) => [id, credits[k] ?? null]));
  const finished = all.filter(({ state }) => state === 'finished');
  const rows = toRows(finished, style);
  if (!rows.ok) return rows;
  const records = rows.value.map(({ interaction, tokens, turnIds }) => {
    const credit = creditOf.get(interaction.id) ?? null;
    const record = {
      tensor_dict: tensorsOf(tokens, turnIds, {
        reward: credit ?? 0,
        original: raw.get(interaction.id) ?? credit ?? 0,
      }),
      reward: credit,
      interaction_id: interaction.id,
    };
    return [interaction.id, record] as const;
  });
  return ok(Object.fromEntries(records));
}

interface ExportRow {
  readonly interaction: Interaction;
  readonly tokens: TokenRecord;
  readonly turnIds: readonly number[];
}

function toRows(finished: readonly Interaction[], style: ExportRequest['style']): Result<ExportRow[], Refusal> {
  if (style === 'individual') {
    return ok(
      finished.map((interaction) => {
        const tokens = interactionTokens(interaction);
        return { interaction, tokens, turnIds: tokens.lossMask.map((bit) => (bit === 1 ? 0 : -1)) };
      }),
    );
  }
  const leaves = concatRows(finished);
  if (leaves.ok) return ok(leaves.value.map(({ leaf, tokens, turnIds }) => ({ interaction: leaf, tokens, turnIds })));
  const message = `The prompt of ${leaves.error.interactionId} does not continue the tokens of ${leaves.error.parentId}, so the session cannot be one row. Use style "individual".`;
  return err(refusal('bad-request', message, 'style'));
}

function tensorsOf(
  tokens: TokenRecord,
  turnIds: readonly number[],
  rewards: { readonly reward: number; readonly original: number },
): Record<string, WireTensor> {
  const shape = [1, tokens.tokenIds.length];
  return {
    input_ids: encodeTensor('torch.int64', shape, tokens.tokenIds),
    loss_mask: encodeTensor('torch.int64', shape, tokens.lossMask),
    logprobs: encodeTensor('torch.float32', shape, tokens.logprobs),
    versions: encodeTensor('torch.int64', shape, tokens.versions),
    turn_ids: encodeTensor('torch.int32', shape, turnIds),
    attention_mask: encodeTensor(
      'torch.bool',
      shape,
      tokens.tokenIds.map(() => 1),
    ),
    rewards: encodeTensor('torch.float32', [1], [rewards.reward]),
    original_rewards: encodeTensor('torch.float32', [1], [rewards.original]),
  };
}
