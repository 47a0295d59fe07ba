import type { EpisodePlan } from '../interactions/reward-discount';
import { planEpisodes } from '../interactions/reward-discount';
import type { Clock } from '../platform/clock';
import { staleReason } from '../staleness/token-age';
import type { BatchItem, BatchStore } from '../store/batches';
import type { Database } from '../store/database';
import type { DroppedStore } from '../store/dropped';

export interface FormBatchPorts {
  readonly database: Database;
  readonly batches: BatchStore;
  readonly dropped: DroppedStore;
  readonly clock: Clock;
  /** trajectories that make a batch, ≥ 1 */
  readonly batchSize: number;
  /** η of the consumption guard, in versions */
  readonly maxTokenStaleness: number;
}

/** How full the next batch is, in trajectories. */
export interface BatchFill {
  readonly size: number;
  /** ready now: rated, session ended, in no batch */
  readonly filled: number;
  /** rated, but their session is still open */
  readonly openRated: number;
  readonly nextId: number;
}

/**
 * Forms the next batch if enough trainable trajectories wait and no other batch is under way.
 *
 * One transaction decides everything: rows that can never be trained are dropped with their reason, and the oldest
 * ended sessions fill the batch with whole episodes. Until it commits, every rating can still be changed.
 *
 * @param consumingVersion - version of the weights that will be trained on the batch
 * @returns the new batch's id, or null
 * @remarks One unsettled batch at a time. HEAD.json tells the fate of its last batch only, so a second one in flight
 * could end without a known fate; ratings stay revocable longest; and staleness is judged when the batch is really
 * consumed, not when a queue was joined.
 */
export function formBatch(ports: FormBatchPorts, consumingVersion: number): number | null {
  const { database, batches, dropped, clock } = ports;
  return database.transaction(() => {
    if (batches.findUnsettled() !== null) return null;
    const waiting: EpisodePlan[] = [];
    for (const { session, turns } of batches.openSessions()) {
      const { episodes, excluded } = planEpisodes(session, turns);
      for (const { interactionId, reason } of excluded) dropped.add(interactionId, reason, clock.now());
      for (const episode of episodes) {
        const fresh = dropStaleRows(ports, episode, consumingVersion);
        if (fresh !== null) waiting.push(fresh);
      }
    }
    const chosen = takeEpisodes(waiting, ports.batchSize);
    if (chosen === null) return null;
    const batchId = batches.nextId();
    batches.insert({ batchId, at: clock.now(), version: consumingVersion }, chosen.flatMap(toItems));
    return batchId;
  });
}

/** Counts what waits; reads only. */
export function readBatchFill(ports: Pick<FormBatchPorts, 'batches' | 'batchSize'>): BatchFill {
  let filled = 0;
  let openRated = 0;
  for (const { session, turns } of ports.batches.openSessions()) {
    if (session.state === 'open') {
      openRated += turns.filter((turn) => turn.reward !== null && turn.closed === null).length;
    } else {
      filled += planEpisodes(session, turns).episodes.reduce((sum, episode) => sum + episode.rows.length, 0);
    }
  }
  return { size: ports.batchSize, filled, openRated, nextId: ports.batches.nextId() };
}

function dropStaleRows(ports: FormBatchPorts, episode: EpisodePlan, consumingVersion: number): EpisodePlan | null {
  const fresh = episode.rows.filter(({ interactionId }) => {
    const versions = ports.batches.outputVersions(interactionId);
    const reason = staleReason(versions, consumingVersion, ports.maxTokenStaleness);
    if (reason !== null) ports.dropped.add(interactionId, reason, ports.clock.now());
    return reason === null;
  });
  return fresh.length === 0 ? null : { ...episode, rows: fresh };
}

/**
 * The first episodes whose rows reach the batch size; the last one may go past it, because episodes stay whole.
 *
 * Never a single episode, however many rows it has: with nothing to compare it with, its advantage would be zero.
 */
function takeEpisodes(waiting: readonly EpisodePlan[], batchSize: number): EpisodePlan[] | null {
  const fewest = Math.min(2, batchSize);
  const chosen: EpisodePlan[] = [];
  let rows = 0;
  for (const episode of waiting) {
    if (rows >= batchSize && chosen.length >= fewest) break;
    chosen.push(episode);
    rows += episode.rows.length;
  }
  return rows >= batchSize && chosen.length >= fewest ? chosen : null;
}

function toItems(episode: EpisodePlan): BatchItem[] {
  return episode.rows.map((row) => ({
    interactionId: row.interactionId,
    episodeId: episode.id,
    groupId: episode.groupId,
    episodeReward: episode.reward,
    reward: row.reward,
  }));
}
