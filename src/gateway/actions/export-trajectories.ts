import type { InteractionId, SessionId } from '../../shared/domain/ids';
import type { Interaction } from '../../shared/domain/interaction';
import type { DiscountMode, Session } from '../../shared/domain/session';
import type { TokenRecord } from '../../shared/domain/token-record';
import { err, ok, type Result } from '../../shared/lib/result';
import { canonicalJson, withoutNulls } from '../interactions/canonical-json';
import { NOT_RATED } from '../interactions/episode-plan';
import { retryOrphans } from '../interactions/retry-orphans';
import { creditTurns } from '../interactions/reward-discount';
import { type Refusal, refusal } from '../platform/refusal';
import { concatRows, interactionTokens } from '../rollouts/token-rows';
import { encodeTensor, type WireTensor } from '../rollouts/wire-tensor';
import type { InteractionStore } from '../store/interactions';
import type { SessionStore } from '../store/sessions';
import type { SessionTurns, TurnFactsStore } from '../store/turn-facts';

export interface ExportPorts {
  readonly sessions: SessionStore;
  readonly interactions: InteractionStore;
  readonly turns: TurnFactsStore;
}

/** Which session is read, and how its turns become records. */
export interface ExportRequest {
  readonly sessionId: SessionId;
  /** γ of this export; the session's own γ decides what is trained here */
  readonly discount: number;
  readonly style: 'individual' | 'concat';
  /** null = the session's own */
  readonly discountMode: DiscountMode | null;
  readonly dropRetryOrphans: boolean;
}

/** One record of AReaL's export; `reward` is null where no rating speaks of it. */
export interface ExportedInteraction {
  readonly tensor_dict: Readonly<Record<string, WireTensor>>;
  readonly reward: number | null;
  readonly interaction_id: string;
}

/** What a trainer may train on, in arrival order, and what was left out with its reason. */
export interface Exported {
  readonly interactions: Readonly<Record<string, ExportedInteraction>>;
  readonly leftOut: Readonly<Record<string, string>>;
  /** records whose log-probabilities are not of the distribution they were sampled from; AReaL exports those too */
  readonly distorted: readonly string[];
}

/**
 * A session as AReaL's trainers read it: tensors of shape [1, L] per record, in arrival order.
 *
 * Reads only. Answers whose evidence is not sound are left out and named: whoever reads this trains on it. Unrated ones
 * follow the session's policy: `hold` null (0.0 in the tensor, as AReaL has it), `drop` left out, `zero` 0.
 *
 * In concat style a record carries its leaf's own reward: discounting moves rewards to earlier turns only, and those
 * have no record of their own.
 */
export function exportTrajectories(ports: ExportPorts, request: ExportRequest): Result<Exported, Refusal> {
  const { sessionId, style } = request;
  const session = ports.sessions.find(sessionId);
  const facts = ports.turns.ofSession(sessionId);
  if (session === null || facts === null) return err(refusal('not-found', `Session ${sessionId} not found.`));
  const all = ports.interactions.listOfSession(sessionId);
  const leftOut = new Map(leaveOut(facts, all, request.dropRetryOrphans));
  const credits = creditsOf(session, facts, request, leftOut);
  const raw = new Map(facts.turns.map((turn) => [turn.interactionId, turn.reward]));
  const finished = all.filter(({ state }) => state === 'finished');
  const rows = toRows(finished, style, new Set(leftOut.keys()));
  if (!rows.ok) return rows;
  const records = rows.value.flatMap(({ interaction: { id }, tokens, turnIds }) => {
    const credit = credits.get(id) ?? null;
    if (credit === null && session.unratedPolicy === 'drop') {
      leftOut.set(id, NOT_RATED);
      return [];
    }
    const rewards = { reward: credit ?? 0, original: raw.get(id) ?? credit ?? 0 };
    return [[id, { tensor_dict: tensorsOf(tokens, turnIds, rewards), reward: credit, interaction_id: id }] as const];
  });
  const isExported = new Set(records.map(([id]) => id));
  const distorted = finished.filter((row) => row.distorted && isExported.has(row.id)).map((row) => row.id);
  return ok({ interactions: Object.fromEntries(records), leftOut: Object.fromEntries(leftOut), distorted });
}

function creditsOf(
  session: Session,
  facts: SessionTurns,
  request: ExportRequest,
  leftOut: ReadonlyMap<InteractionId, string>,
): ReadonlyMap<InteractionId, number | null> {
  const rule = {
    turnDiscount: request.style === 'concat' ? 0 : request.discount,
    discountMode: request.discountMode ?? session.discountMode,
    unratedPolicy: session.unratedPolicy,
  };
  // An orphan's reward must not reach the turns it was replaced in; an unsound answer's rating still speaks of earlier ones.
  const chain = facts.turns.filter((turn) => leftOut.get(turn.interactionId) !== ORPHAN);
  return creditTurns(rule, chain);
}

const ORPHAN = 'a retry of the same request replaced this answer';

function* leaveOut(
  facts: SessionTurns,
  all: readonly Interaction[],
  dropsOrphans: boolean,
): Generator<[InteractionId, string]> {
  const messages = new Map(all.map((interaction) => [interaction.id, interaction.messages]));
  const finished = facts.turns.filter((turn) => turn.state === 'finished');
  const orphans = dropsOrphans
    ? retryOrphans(
        finished.map((turn) => ({ ...turn, inputKey: canonicalJson(withoutNulls(messages.get(turn.interactionId))) })),
      )
    : new Set<InteractionId>();
  for (const { interactionId, untrainable } of finished) {
    if (orphans.has(interactionId)) yield [interactionId, ORPHAN];
    else if (untrainable !== null) yield [interactionId, `its evidence is not sound: ${untrainable}`];
  }
}

interface ExportRow {
  readonly interaction: Interaction;
  readonly tokens: TokenRecord;
  readonly turnIds: readonly number[];
}

function toRows(
  finished: readonly Interaction[],
  style: ExportRequest['style'],
  leftOut: ReadonlySet<InteractionId>,
): Result<ExportRow[], Refusal> {
  if (style === 'individual') {
    return ok(
      finished
        .filter(({ id }) => !leftOut.has(id))
        .map((interaction) => {
          const tokens = interactionTokens(interaction);
          return { interaction, tokens, turnIds: tokens.lossMask.map((bit) => (bit === 1 ? 0 : -1)) };
        }),
    );
  }
  const leaves = concatRows(finished, leftOut);
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
