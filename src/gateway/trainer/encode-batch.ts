import type { Interaction } from '../../shared/domain/interaction';
import type { TokenRecord } from '../../shared/domain/token-record';
import { encodeSafetensors, type NamedTensor } from '../../shared/lib/safetensors';
import type { Manifest, SPOOL_TENSORS } from '../../shared/wire/trainer';
import { TRAINER_SCHEMA } from '../../shared/wire/trainer';

/** One training row with what the manifest says about it. */
export interface SpoolRow {
  readonly episodeId: string;
  readonly groupId: string;
  readonly episodeReward: number;
  /** return after turn discount */
  readonly reward: number;
  readonly source: string;
  readonly rater: string | null;
  readonly tokens: TokenRecord;
  readonly temperature: number;
  readonly finishReason: Interaction['finishReason'];
  readonly distorted: boolean;
  /** milliseconds since the epoch */
  readonly createdAt: number;
}

const FLAG_TRUNCATED = 1;
const FLAG_DISTORTED = 2;

/**
 * `data.safetensors` of a batch, packed flat as {@link SPOOL_TENSORS} says.
 *
 * @param rows - rows of one episode adjacent; the same rows always give the same bytes, so that a batch written again
 * after a crash keeps its sha256
 */
export function encodeBatch(rows: readonly SpoolRow[]): Uint8Array {
  const episodes = episodesOf(rows);
  const groups = new Map<string, number>();
  for (const { groupId } of episodes) if (!groups.has(groupId)) groups.set(groupId, groups.size);
  const tokens = rows.map((row) => row.tokens);
  const ends: number[] = [0];
  for (const { tokenIds } of tokens) ends.push((ends.at(-1) ?? 0) + tokenIds.length);
  const episodeOfRow = episodes.flatMap((episode, index) => episode.rows.map(() => index));
  const tensors: Record<(typeof SPOOL_TENSORS)[number], NamedTensor['data']> = {
    input_ids: Int32Array.from(tokens.flatMap((row) => row.tokenIds)),
    loss_mask: Uint8Array.from(tokens.flatMap((row) => row.lossMask)),
    behave_logprob: Float32Array.from(tokens.flatMap((row) => row.logprobs)),
    version: Int32Array.from(tokens.flatMap((row) => row.versions)),
    cu_seqlens: Int32Array.from(ends),
    row_session: Int32Array.from(episodeOfRow),
    row_reward: Float32Array.from(rows.map((row) => row.reward)),
    row_temp: Float32Array.from(rows.map((row) => row.temperature)),
    row_flags: Uint8Array.from(rows.map(flagsOf)),
    session_reward: Float32Array.from(episodes.map((episode) => episode.reward)),
    session_group: Int32Array.from(episodes.map((episode) => groups.get(episode.groupId) ?? 0)),
  };
  return encodeSafetensors(Object.entries(tensors).map(([name, data]) => ({ name, shape: [data.length], data })));
}

/** `manifest.json`: the batch for people, and the checks the trainer makes before it reads the data. */
export function batchManifest(
  batch: {
    readonly runId: string;
    readonly batchId: number;
    readonly formedAtVersion: number;
    readonly formedAt: number;
    readonly sha256: string;
  },
  rows: readonly SpoolRow[],
): Manifest {
  const episodes = episodesOf(rows);
  return {
    schema: TRAINER_SCHEMA,
    run_id: batch.runId,
    batch_id: batch.batchId,
    formed_at_version: batch.formedAtVersion,
    sha256: batch.sha256,
    n_tokens: rows.reduce((sum, row) => sum + row.tokens.tokenIds.length, 0),
    n_rows: rows.length,
    n_sessions: episodes.length,
    sessions: episodes.map((episode) => {
      const versions = episode.rows.flatMap((row) =>
        row.tokens.versions.filter((_, t) => row.tokens.lossMask[t] === 1),
      );
      return {
        id: episode.id,
        group: episode.groupId,
        source: episode.rows[0]?.source ?? 'human',
        rater: episode.rows.find((row) => row.rater !== null)?.rater ?? null,
        reward: episode.reward,
        head: versions.reduce((min, version) => Math.min(min, version), versions[0] ?? -1),
        tail: versions.reduce((max, version) => Math.max(max, version), -1),
        rows: episode.rows.length,
        created_at: new Date(episode.rows[0]?.createdAt ?? batch.formedAt).toISOString(),
      };
    }),
    overrides: {},
    created_at: new Date(batch.formedAt).toISOString(),
  };
}

interface SpoolEpisode {
  readonly id: string;
  readonly groupId: string;
  readonly reward: number;
  readonly rows: SpoolRow[];
}

function episodesOf(rows: readonly SpoolRow[]): SpoolEpisode[] {
  const episodes: SpoolEpisode[] = [];
  for (const row of rows) {
    const last = episodes.at(-1);
    if (last?.id === row.episodeId) last.rows.push(row);
    else episodes.push({ id: row.episodeId, groupId: row.groupId, reward: row.episodeReward, rows: [row] });
  }
  return episodes;
}

function flagsOf(row: SpoolRow): number {
  return (row.finishReason === 'length' ? FLAG_TRUNCATED : 0) | (row.distorted ? FLAG_DISTORTED : 0);
}
