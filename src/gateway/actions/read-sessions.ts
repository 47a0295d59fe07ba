import type { SessionId } from '../../shared/domain/ids';
import type { Interaction } from '../../shared/domain/interaction';
import { encodeVersionRuns } from '../../shared/domain/version-runs';
import type { InteractionView, SessionView } from '../../shared/wire/rl';
import type { InteractionStore } from '../store/interactions';
import type { RatingStanding, RewardStore } from '../store/rewards';
import type { SessionCounts, SessionFilter, SessionStore } from '../store/sessions';
import type { ChatTokenizer } from '../tokenizer/chat-tokenizer';

export interface ReadSessionsPorts {
  readonly sessions: SessionStore;
  readonly interactions: InteractionStore;
  readonly rewards: RewardStore;
  readonly tokenizer: ChatTokenizer;
}

/** A page of sessions, newest first, and how many match in all. */
export function readSessions(
  ports: ReadSessionsPorts,
  filter: SessionFilter,
  page: { readonly limit: number; readonly offset: number },
): { readonly total: number; readonly sessions: SessionView[] } {
  const { sessions } = ports;
  return { total: sessions.count(filter), sessions: sessions.list(filter, page).map(toSessionView) };
}

/** One session with its interactions in arrival order; null when there is none. */
export function readSession(
  ports: ReadSessionsPorts,
  id: SessionId,
): (SessionView & { readonly interactions: InteractionView[] }) | null {
  const session = ports.sessions.find(id);
  if (session === null) return null;
  const interactions = ports.interactions.listOfSession(id);
  const standings = ports.rewards.standingsOfSession(id);
  const views = interactions.map((interaction) => toInteractionView(interaction, standings.get(interaction.id)));
  const ratedCount = views.filter((view) => view.reward !== null).length;
  return { ...toSessionView({ session, interactionCount: views.length, ratedCount }), interactions: views };
}

/** One interaction with every token it was made of; null when there is none. */
export function readInteraction(ports: ReadSessionsPorts, id: Interaction['id']): InteractionView | null {
  const interaction = ports.interactions.find(id);
  if (interaction === null) return null;
  const texts = ports.tokenizer.describeTokens(interaction.outputTokenIds);
  const tokens = interaction.outputTokenIds.map((tokenId, index) => ({
    id: tokenId,
    text: texts[index] ?? '',
    logprob: toJsonNumber(interaction.outputLogprobs[index] ?? 0),
    version: interaction.outputVersions[index] ?? -1,
  }));
  return { ...toInteractionView(interaction, ports.rewards.standing(id)), tokens };
}

function toSessionView({ session, interactionCount, ratedCount }: SessionCounts): SessionView {
  return {
    session_id: session.id,
    task_id: session.taskId,
    group_id: session.groupId,
    api_key: session.apiKey,
    source: session.source,
    rater_id: session.raterId,
    turn_discount: session.turnDiscount,
    discount_mode: session.discountMode,
    unrated_policy: session.unratedPolicy,
    consumer: session.consumer,
    taken_at: session.takenAt === null ? null : toIso(session.takenAt),
    state: session.state,
    created_at: toIso(session.createdAt),
    ended_at: session.endedAt === null ? null : toIso(session.endedAt),
    end_reason: session.endReason,
    interaction_count: interactionCount,
    rated_count: ratedCount,
  };
}

function toInteractionView(interaction: Interaction, standing: RatingStanding | undefined): InteractionView {
  const content = interaction.outputMessage?.content;
  return {
    interaction_id: interaction.id,
    session_id: interaction.sessionId,
    parent_id: interaction.parentId,
    state: interaction.state,
    messages: [...interaction.messages],
    output: typeof content === 'string' ? content : null,
    output_message: interaction.outputMessage ?? null,
    finish_reason: interaction.finishReason,
    prompt_tokens: interaction.promptTokenIds.length,
    completion_tokens: interaction.outputTokenIds.length,
    version_rle: encodeVersionRuns(interaction.outputVersions).map(([version, length]) => [version, length]),
    reward: standing?.reward ?? null,
    discounted_reward: standing?.discountedReward ?? null,
    normalised_reward: standing?.normalisedReward ?? null,
    rating_state: standing?.state ?? 'unrated',
    batch_id: standing?.batchId ?? null,
    version: standing?.version ?? null,
    reason: standing?.reason ?? null,
    created_at: toIso(interaction.createdAt),
    error: interaction.error,
    untrainable: interaction.untrainable,
    replaced_by: interaction.replacedBy,
  };
}

/** JSON has no infinity; unsound evidence may hold one, and is shown as the lowest float. */
function toJsonNumber(value: number): number {
  return Number.isFinite(value) ? value : -3.4028234663852886e38;
}

const toIso = (at: number): string => new Date(at).toISOString();
