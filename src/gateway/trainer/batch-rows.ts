import { interactionTokens } from '../rollouts/token-rows';
import type { BatchItem } from '../store/batches';
import type { InteractionStore } from '../store/interactions';
import type { RewardStore } from '../store/rewards';
import type { SessionStore } from '../store/sessions';
import type { SpoolRow } from './encode-batch';

export interface BatchRowPorts {
  readonly interactions: InteractionStore;
  readonly rewards: RewardStore;
  readonly sessions: SessionStore;
}

/**
 * The rows of a batch as the trainer gets them, read from the database: exactly the tokens that were sampled.
 *
 * The same items give the same rows for ever, so a batch written again after a crash keeps its bytes.
 *
 * @throws when a member is not in the database: the batch transaction guarantees that it is
 */
export function readBatchRows(ports: BatchRowPorts, items: readonly BatchItem[]): SpoolRow[] {
  return items.map((item) => {
    const interaction = ports.interactions.find(item.interactionId);
    const session = interaction === null ? null : ports.sessions.find(interaction.sessionId);
    if (interaction === null || session === null) throw new Error(`batch member ${item.interactionId} does not exist`);
    return {
      episodeId: item.episodeId,
      groupId: item.groupId,
      episodeReward: item.episodeReward,
      reward: item.reward,
      source: session.source,
      rater: ports.rewards.find(item.interactionId)?.raterId ?? session.raterId,
      tokens: interactionTokens(interaction),
      temperature: interaction.temperature,
      finishReason: interaction.finishReason,
      distorted: interaction.distorted,
      createdAt: interaction.createdAt,
    };
  });
}
