import { advantages, type BaselineRule } from '../../shared/domain/advantages';
import { type EpisodePlan, planEpisodes } from '../interactions/episode-plan';
import type { Clock } from '../platform/clock';
import { staleReason } from '../staleness/token-age';
import type { BatchItem, BatchStore } from '../store/batches';
import type { Database } from '../store/database';
import type { DroppedStore } from '../store/dropped';
import type { SessionTurns, TurnFactsStore } from '../store/turn-facts';

export interface FormBatchPorts {
  readonly database: Database;
  readonly batches: BatchStore;
  readonly dropped: DroppedStore;
  readonly turns: TurnFactsStore;
  readonly clock: Clock;
  /** trajectories that make a batch, ≥ 1 */
  readonly batchSize: number;
  /** the run's own: what an episode's reward is compared with, and the greatest age in versions the trainer keeps */
  readonly algorithm: { readonly baseline: BaselineRule; readonly max_token_staleness: number };
}

/** How full the next batch is, in trajectories. */
export interface BatchFill {
  readonly size: number;
  /** ready now: rated (or counted as 0), session ended, in no batch; exact up to 1,000 or four batches, then at least */
  readonly filled: number;
  /** rated, but their session is still open */
  readonly openRated: number;
  readonly nextId: number;
}

/**
 * Forms the next batch if enough trainable trajectories wait and no other batch is under way.
 *
 * One transaction decides everything: rows that can never be trained are dropped with their reason, and the oldest
 * ended sessions fill the batch with whole episodes. Until it commits, every rating can still be changed. Sessions are
 * looked through only until the batch is full, so what waits behind it costs nothing.
 *
 * @param consumingVersion - version of the weights that will be trained on the batch
 * @returns the new batch's id, or null
 * @remarks One unsettled batch at a time. HEAD.json tells the fate of its last batch only, so a second one in flight
 * could end without a known fate; ratings stay revocable longest; and staleness is judged when the batch is really
 * consumed, not when a queue was joined.
 */
export function formBatch(ports: FormBatchPorts, consumingVersion: number): number | null {
  const { database, batches, turns } = ports;
  return database.transaction(() => {
    if (batches.findUnsettled() !== null) return null;
    const chosen: EpisodePlan[] = [];
    for (const pending of turns.pendingSessions()) {
      for (const episode of sift(ports, pending, consumingVersion)) {
        if (isFull(chosen, ports.batchSize)) break;
        chosen.push(episode);
      }
      if (isFull(chosen, ports.batchSize)) break;
    }
    if (!isFull(chosen, ports.batchSize)) return null;
    const batchId = batches.nextId();
    const items = toItems(chosen, ports.algorithm.baseline);
    batches.insert({ batchId, at: ports.clock.now(), version: consumingVersion }, items);
    return batchId;
  });
}

/** Every status asks how full the batch is, and nobody reads the exact size of a heap. */
const COUNTED_ROWS = 1000;

/**
 * Counts what waits; reads only.
 *
 * @param upTo - a heap is counted at least up to here: admission must know when η + 1 batches wait
 */
export function readBatchFill(ports: Pick<FormBatchPorts, 'batches' | 'turns' | 'batchSize'>, upTo = 0): BatchFill {
  const enough = Math.max(COUNTED_ROWS, 4 * ports.batchSize, upTo);
  let filled = 0;
  for (const { session, turns } of ports.turns.pendingSessions()) {
    if (filled >= enough) break;
    filled += planEpisodes(session, turns).episodes.reduce((sum, episode) => sum + episode.rows.length, 0);
  }
  const openRated = ports.turns.countOpenRated();
  return { size: ports.batchSize, filled, openRated, nextId: ports.batches.nextId() };
}

/** What of a session can be trained now; drops what never can, and forgets the session when nothing is left in it. */
function sift(ports: FormBatchPorts, { session, turns }: SessionTurns, consumingVersion: number): EpisodePlan[] {
  const { episodes, excluded } = planEpisodes(session, turns);
  for (const { interactionId, reason } of excluded) ports.dropped.add(interactionId, reason, ports.clock.now());
  const fresh = episodes.flatMap((episode) => dropStaleRows(ports, episode, consumingVersion) ?? []);
  const isWaitingForAnswer = !session.isExternal && turns.some((turn) => turn.state === 'running');
  if (fresh.length === 0 && !isWaitingForAnswer) ports.turns.markLookedThrough(session.sessionId);
  return fresh;
}

function dropStaleRows(ports: FormBatchPorts, episode: EpisodePlan, consumingVersion: number): EpisodePlan | null {
  const fresh = episode.rows.filter(({ interactionId }) => {
    const versions = ports.batches.outputVersions(interactionId);
    const reason = staleReason(versions, consumingVersion, ports.algorithm.max_token_staleness);
    if (reason !== null) ports.dropped.add(interactionId, reason, ports.clock.now());
    return reason === null;
  });
  return fresh.length === 0 ? null : { ...episode, rows: fresh };
}

/**
 * Whether whole episodes fill a batch; the last one may go past its size.
 *
 * Never a single episode, however many rows it has: with nothing to compare it with, its advantage would be zero.
 */
function isFull(chosen: readonly EpisodePlan[], batchSize: number): boolean {
  const rows = chosen.reduce((sum, episode) => sum + episode.rows.length, 0);
  return rows >= batchSize && chosen.length >= Math.min(2, batchSize);
}

function toItems(episodes: readonly EpisodePlan[], baseline: BaselineRule): BatchItem[] {
  // float32 as in the spool: the trainer computes its advantages from exactly these numbers
  const normalised = advantages(
    baseline,
    episodes.map(({ groupId, reward }) => ({ groupId, reward: Math.fround(reward) })),
  );
  return episodes.flatMap((episode, k) =>
    episode.rows.map((row) => ({
      interactionId: row.interactionId,
      episodeId: episode.id,
      groupId: episode.groupId,
      episodeReward: episode.reward,
      reward: row.reward,
      normalised: normalised[k] ?? null,
    })),
  );
}
