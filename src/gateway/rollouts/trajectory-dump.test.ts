import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupId, interactionId, sessionId } from '../../shared/domain/ids';
import { trajectoryRecordSchema } from '../../shared/wire/trajectory-record';
import { type DurableFiles, durableFiles } from '../platform/durable-files';
import { EventHub } from '../platform/event-hub';
import { lineFiles } from '../platform/line-files';
import { silentLogger } from '../platform/logger';
import { BatchStore } from '../store/batches';
import { type Database, openDatabase } from '../store/database';
import { DumpedStore } from '../store/dumped';
import { InteractionStore } from '../store/interactions';
import { RewardStore } from '../store/rewards';
import { SessionStore } from '../store/sessions';
import { SAMPLE_ANSWER, sampleRunning, sampleSession } from '../store/testing/sample-rows';
import { parseRecord } from './parse-record';
import { TrajectoryDump } from './trajectory-dump';

let folder: string;
let database: Database;
let now: number;
let batch: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dump-'));
  database = openDatabase(':memory:');
  now = 1_000_000;
  batch = 0;
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A gateway's dump on what is there: after a kill only the database and the files are left. */
function dumpOn(files: DurableFiles = durableFiles, mostFiles?: number): TrajectoryDump {
  const ports = {
    dumped: new DumpedStore(database),
    interactions: new InteractionStore(database),
    rewards: new RewardStore(database),
    sessions: new SessionStore(database),
    files,
    clock: { now: () => now, sleep: async () => undefined, every: () => () => undefined },
    events: new EventHub(),
    logger: silentLogger,
    describeTokens: (ids: readonly number[]) => ids.map((id) => `<${id}>`),
    dumpDir: folder,
  };
  return new TrajectoryDump(ports, mostFiles);
}

/** A batch of rated answers, one per version given. */
function formBatch(
  rows: readonly { readonly id: string; readonly task?: string; readonly versions?: readonly number[] }[],
) {
  batch += 1;
  const items = rows.map(({ id, task, versions }) => {
    new SessionStore(database).insert(sampleSession(`s-${id}`, { taskId: task ?? 'task', turnDiscount: 0 }));
    const interactions = new InteractionStore(database);
    interactions.insertRunning(sampleRunning(id, `s-${id}`));
    interactions.finish(interactionId(id), {
      ...SAMPLE_ANSWER,
      output: { ...SAMPLE_ANSWER.output, versions: versions ?? [0, 0] },
    });
    const reward = { interactionId: interactionId(id), value: 1, raterId: null, note: null, ratedAt: now };
    new RewardStore(database).set(reward);
    new SessionStore(database).end(sessionId(`s-${id}`), now, 'client');
    return {
      interactionId: interactionId(id),
      episodeId: id,
      groupId: groupId('g'),
      episodeReward: 1,
      reward: 1,
      normalised: null,
    };
  });
  new BatchStore(database).insert({ batchId: batch, at: now, version: 0 }, items);
}

async function dumped() {
  const lines: { file: string; line: string }[] = [];
  for (const file of (await lineFiles.list(folder)).sort()) {
    const text = readFileSync(join(folder, file), 'utf8');
    expect(text.endsWith('\n')).toBe(true);
    for (const line of text.split('\n').slice(0, -1)) lines.push({ file, line });
  }
  return lines.map(({ file, line }) => ({ file, record: trajectoryRecordSchema.parse(JSON.parse(line)) }));
}

describe('TrajectoryDump', () => {
  it('writes one line per row under its newest version and its task, in AReaL’s style', async () => {
    formBatch([{ id: 'a', versions: [2, 3] }, { id: 'b', task: '../../etc/passwd', versions: [1, 1] }, { id: 'c' }]);
    await dumpOn().dumpPending();
    const rows = await dumped();
    expect(rows.map(({ record }) => record.interaction_id).sort()).toEqual(['a', 'b', 'c']);
    expect(rows.find(({ record }) => record.interaction_id === 'a')).toMatchObject({
      file: 'rollout/3/task.jsonl',
      record: {
        head_version: 2,
        tail_version: 3,
        version_rle: [
          [2, 1],
          [3, 1],
        ],
        reward: 1,
        original_reward: 1,
      },
    });
    const foreign = rows.find(({ record }) => record.interaction_id === 'b');
    expect(foreign?.file).toMatch(/^rollout\/1\/[^/]+\.jsonl$/);
    expect(foreign?.record.task_id).toBe('../../etc/passwd');
  });

  it('counts samples on within a file, also after a restart', async () => {
    formBatch([{ id: 'a' }, { id: 'b' }]);
    await dumpOn().dumpPending();
    formBatch([{ id: 'c' }]);
    await dumpOn().dumpPending();
    expect((await dumped()).map(({ record }) => record.sample_idx)).toEqual([0, 1, 2]);
  });

  it.each([
    { what: 'enough files', mostFiles: 5, reads: 5 },
    { what: 'too few files', mostFiles: 4, reads: 15 },
  ])(
    'counts samples on with $what remembered, and looks only at the files it has forgotten',
    async ({ mostFiles, reads }) => {
      let looked = 0;
      const counting: DurableFiles = {
        ...durableFiles,
        read: (path) => {
          looked += 1;
          return durableFiles.read(path);
        },
      };
      const dump = dumpOn(counting, mostFiles);
      for (const round of [0, 1, 2])
        for (const task of [0, 1, 2, 3, 4]) {
          formBatch([{ id: `i${round}-${task}`, task: `t${task}` }]);
          await dump.dumpPending();
        }
      expect((await dumped()).map(({ record }) => record.sample_idx)).toEqual([
        0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2,
      ]);
      expect(looked).toBe(reads);
      await dump.close();
    },
  );

  it('does nothing when nothing waits, and creates no folder', async () => {
    await dumpOn().dumpPending();
    expect(await dumped()).toEqual([]);
  });

  it('turns a refusing disk into a trouble, keeps the rows, and completes the dump later', async () => {
    let isFull = true;
    const files: DurableFiles = {
      ...durableFiles,
      append: (path, bytes) => {
        if (isFull) return Promise.reject(new Error('ENOSPC: no space left on device'));
        return durableFiles.append(path, bytes);
      },
    };
    formBatch([{ id: 'a' }]);
    const dump = dumpOn(files);
    await dump.dumpPending();
    expect(dump.trouble?.message).toMatch(/ENOSPC/);
    isFull = false;
    now += 60_000;
    await dump.dumpPending();
    expect(dump.trouble).toBeNull();
    expect(await dumped()).toHaveLength(1);
  });

  it('cuts a torn last line off before it goes on', async () => {
    formBatch([{ id: 'a' }]);
    await dumpOn().dumpPending();
    appendFileSync(join(folder, 'rollout', '0', 'task.jsonl'), '{"task_id": "tas');
    formBatch([{ id: 'b' }]);
    await dumpOn().dumpPending();
    expect((await dumped()).map(({ record }) => record.interaction_id)).toEqual(['a', 'b']);
  });

  it.each([
    ['cut short by an editor while it runs', (text: string) => text.slice(0, -9), ['a', null, 'c']],
    ['robbed of its last line end while it runs', (text: string) => text.slice(0, -1), ['a', 'b', 'c']],
  ])('begins a new line in a file %s, and counts on', async (_name, edit, expected) => {
    const path = join(folder, 'rollout', '0', 'task.jsonl');
    const dump = dumpOn();
    formBatch([{ id: 'a' }, { id: 'b' }]);
    await dump.dumpPending();
    writeFileSync(path, edit(readFileSync(path, 'utf8')));
    formBatch([{ id: 'c' }]);
    await dump.dumpPending();
    const rows = readFileSync(path, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => parseRecord(line));
    expect(rows.map((row) => (row.ok ? row.value.interaction_id : null))).toEqual(expected);
    expect(rows.at(-1)).toMatchObject({ value: { sample_idx: 2 } });
  });

  it('keeps a whole last record whose line end is missing at the start, and does not double it', async () => {
    const path = join(folder, 'rollout', '0', 'task.jsonl');
    formBatch([{ id: 'a' }]);
    await dumpOn().dumpPending();
    writeFileSync(path, readFileSync(path, 'utf8').trimEnd());
    database.run('DELETE FROM dumped');
    formBatch([{ id: 'b' }]);
    await dumpOn().dumpPending();
    expect((await dumped()).map(({ record }) => record.interaction_id)).toEqual(['a', 'b']);
  });

  it('writes every row exactly once, whatever write it was killed in', async () => {
    const kill = fc.record({ after: fc.nat(3), keptBytes: fc.double({ min: 0, max: 1, noNaN: true }) });
    const tasks = fc.array(fc.constantFrom('x', 'y', 'z'), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(tasks, kill), { minLength: 1, maxLength: 5 }), async (lives) => {
        rmSync(folder, { recursive: true, force: true });
        const before = Number(database.get<{ n: number }>('SELECT COUNT(*) AS n FROM batch_items')?.n);
        const wanted: string[] = [];
        database.run(
          'INSERT INTO dumped SELECT interaction_id, ?, ? FROM batch_items WHERE true ON CONFLICT DO NOTHING',
          ['-', 0],
        );
        for (const [life, [names, { after, keptBytes }]] of lives.entries()) {
          formBatch(
            names.map((task, k) => {
              const id = `i-${before}-${life}-${k}`;
              wanted.push(id);
              return { id, task };
            }),
          );
          await dumpOn(killedIn(after, keptBytes)).dumpPending();
        }
        await dumpOn().dumpPending();
        expect((await dumped()).map(({ record }) => record.interaction_id).sort()).toEqual(wanted.sort());
      }),
      { numRuns: 25 },
    );
  });
});

/** A disk that dies in append number `after`, having kept a part of the bytes (1 = all: killed before the note). */
function killedIn(after: number, keptBytes: number): DurableFiles {
  let appends = 0;
  return {
    ...durableFiles,
    append: async (path, bytes) => {
      if (appends < after) {
        appends += 1;
        return durableFiles.append(path, bytes);
      }
      appends = Number.NEGATIVE_INFINITY;
      const kept = bytes.subarray(0, Math.round(bytes.length * keptBytes));
      if (kept.length > 0) await durableFiles.append(path, kept);
      throw new Error('killed');
    },
  };
}
