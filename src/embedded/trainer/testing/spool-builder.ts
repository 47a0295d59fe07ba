import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type Manifest, type SPOOL_TENSORS, TRAINER_SCHEMA } from '../../../shared/wire/trainer';
import { type NamedTensor, serializeSafetensors } from '../../model/safetensors';
import { flushFolder, sha256, writeFlushed } from '../durable-files';
import { runPaths } from '../run-directory';

export interface SpoolRow {
  readonly ids: readonly number[];
  /** tokens from here on were sampled by the policy */
  readonly promptLength: number;
  /** of the sampled tokens only */
  readonly logprobs: readonly number[];
  /** one version for all sampled tokens, or one each */
  readonly versions: number | readonly number[];
  readonly temperature?: number;
  readonly truncated?: boolean;
  readonly distorted?: boolean;
}

export interface SpoolSession {
  readonly rows: readonly SpoolRow[];
  readonly reward: number;
  readonly group?: string;
}

export interface SpoolBatchOptions {
  readonly runId: string;
  readonly batchId: number;
  readonly formedAtVersion?: number;
  readonly overrides?: Readonly<Record<string, number>>;
}

const CREATED_AT = '2026-01-01T00:00:00.000Z';

/** Writes `spool/NNNNNN` as the studio does: a `.tmp` folder, flushed, renamed. Returns the manifest. */
export async function writeSpoolBatch(
  root: string,
  sessions: readonly SpoolSession[],
  options: SpoolBatchOptions,
): Promise<Manifest> {
  const data = encodeSpoolData(sessions);
  const manifest = spoolManifest(sessions, options, data);
  const folder = runPaths.spool(root, options.batchId);
  const temporary = `${folder}.tmp`;
  await mkdir(temporary, { recursive: true });
  await writeFlushed(join(temporary, 'data.safetensors'), data);
  await writeFlushed(join(temporary, 'manifest.json'), JSON.stringify(manifest, null, 1));
  await flushFolder(temporary);
  await rename(temporary, folder);
  await flushFolder(join(root, 'spool'));
  return manifest;
}

/** The bytes of `data.safetensors`. */
export function encodeSpoolData(sessions: readonly SpoolSession[]): Uint8Array {
  const rows = sessions.flatMap((session, index) =>
    session.rows.map((row) => ({ ...row, index, reward: session.reward })),
  );
  const groups = new Map<string, number>();
  const groupIds = sessions.map((session, index) => {
    const name = session.group ?? `session-${index}`;
    if (!groups.has(name)) groups.set(name, groups.size);
    return groups.get(name) ?? 0;
  });
  const offsets = [0];
  for (const row of rows) offsets.push((offsets.at(-1) ?? 0) + row.ids.length);
  const padded = (row: SpoolRow, prompt: number, sampled: (i: number) => number) =>
    row.ids.map((_, t) => (t < row.promptLength ? prompt : sampled(t - row.promptLength)));
  const tensors: Record<(typeof SPOOL_TENSORS)[number], NamedTensor['data']> = {
    input_ids: Int32Array.from(rows.flatMap((row) => row.ids)),
    loss_mask: Uint8Array.from(rows.flatMap((row) => padded(row, 0, () => 1))),
    behave_logprob: Float32Array.from(rows.flatMap((row) => padded(row, 0, (i) => row.logprobs[i] ?? 0))),
    version: Int32Array.from(rows.flatMap((row) => padded(row, -1, (i) => versionAt(row, i)))),
    cu_seqlens: Int32Array.from(offsets),
    row_session: Int32Array.from(rows.map((row) => row.index)),
    row_reward: Float32Array.from(rows.map((row) => row.reward)),
    row_temp: Float32Array.from(rows.map((row) => row.temperature ?? 1)),
    row_flags: Uint8Array.from(rows.map((row) => (row.truncated ? 1 : 0) | (row.distorted ? 2 : 0))),
    session_reward: Float32Array.from(sessions.map((session) => session.reward)),
    session_group: Int32Array.from(groupIds),
  };
  return serializeSafetensors(Object.entries(tensors).map(([name, data]) => [name, { shape: [data.length], data }]));
}

function spoolManifest(sessions: readonly SpoolSession[], options: SpoolBatchOptions, data: Uint8Array): Manifest {
  const rows = sessions.flatMap((session) => session.rows);
  return {
    schema: TRAINER_SCHEMA,
    run_id: options.runId,
    batch_id: options.batchId,
    formed_at_version: options.formedAtVersion ?? 0,
    sha256: sha256(data),
    n_tokens: rows.reduce((sum, row) => sum + row.ids.length, 0),
    n_rows: rows.length,
    n_sessions: sessions.length,
    sessions: sessions.map((session, index) => {
      const versions = session.rows.flatMap((row) => row.ids.slice(row.promptLength).map((_, i) => versionAt(row, i)));
      return {
        id: `session-${index}`,
        group: session.group ?? `session-${index}`,
        source: 'human',
        rater: 'rater-1',
        reward: session.reward,
        head: Math.min(...versions),
        tail: Math.max(...versions),
        rows: session.rows.length,
        created_at: CREATED_AT,
      };
    }),
    overrides: { ...options.overrides },
    created_at: CREATED_AT,
  };
}

function versionAt(row: SpoolRow, i: number): number {
  return typeof row.versions === 'number' ? row.versions : (row.versions[i] ?? 0);
}
