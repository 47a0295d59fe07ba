import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupStatisticsSchema } from '../../shared/wire/statistics';
import { trajectoryFilesSchema, trajectoryRowsSchema } from '../../shared/wire/trajectory-files';
import { ADMIN_KEY, createTestGateway, type TestGateway } from '../testing/test-gateway';

let bench: TestGateway;
let folder: string;
beforeEach(() => {
  bench = createTestGateway();
  folder = mkdtempSync(join(tmpdir(), 'opened-'));
});
afterEach(async () => {
  await bench.close();
  rmSync(folder, { recursive: true, force: true });
});

interface WireTensor {
  readonly data: string;
  readonly shape: readonly number[];
  readonly dtype: string;
}
interface Exported {
  readonly interactions: Record<string, { tensor_dict: Record<string, WireTensor>; reward: number | null }>;
}
const exported = async (body: unknown, key: string | null = ADMIN_KEY) =>
  bench.call('POST', '/export_trajectories', { key, body });

function integers({ data }: WireTensor): number[] {
  const bytes = Buffer.from(data, 'base64');
  return Array.from({ length: bytes.length / 8 }, (_, k) => Number(bytes.readBigInt64LE(k * 8)));
}

describe('POST /export_trajectories', () => {
  it('gives tensors of one length per answer, rewards discounted, null where no rating speaks', async () => {
    const session = await bench.startSession({ turn_discount: 0.5 });
    const ids = [];
    for (const text of ['one', 'two', 'three']) ids.push((await bench.chat(session.key, text)).id);
    await bench.call('POST', '/rl/set_reward', { key: session.key, body: { interaction_id: ids[1], reward: 1 } });
    await bench.call('POST', '/rl/end_session', { key: session.key });
    const body = { session_id: session.id, discount: 0.5 };
    const first = (await (await exported(body)).json()) as Exported;
    expect(Object.keys(first.interactions)).toEqual(ids);
    expect(Object.values(first.interactions).map(({ reward }) => reward)).toEqual([0.5, 1, null]);
    for (const { tensor_dict: tensors } of Object.values(first.interactions)) {
      const { input_ids, loss_mask, versions, logprobs, rewards } = tensors;
      if (!input_ids || !loss_mask || !versions || !logprobs || !rewards) throw new Error('a tensor is missing');
      const mask = integers(loss_mask);
      expect(input_ids).toMatchObject({ shape: [1, mask.length], dtype: 'torch.int64' });
      expect(integers(input_ids)).toHaveLength(mask.length);
      expect(integers(versions).map((version) => (version === -1 ? 0 : 1))).toEqual(mask);
      expect(mask.at(-1)).toBe(1);
      expect(logprobs.dtype).toBe('torch.float32');
      expect(Buffer.from(logprobs.data, 'base64')).toHaveLength(mask.length * 4);
      expect(rewards.shape).toEqual([1]);
    }
    expect(await (await exported(body)).json()).toEqual(first);
  });

  it.each([
    ['an unknown session', { session_id: 'nobody-0' }, ADMIN_KEY, 404],
    ['a wrong key', { session_id: 'nobody-0' }, 'wrong', 403],
    ['no key', { session_id: 'nobody-0' }, null, 401],
    ['no session id', {}, ADMIN_KEY, 422],
    ['an unknown style', { session_id: 'nobody-0', style: 'tree' }, ADMIN_KEY, 422],
  ])('refuses %s', async (_name, body, key, status) => {
    expect((await exported(body, key)).status).toBe(status);
  });
});

describe('GET /rl/trajectory_files and statistics', () => {
  const get = async (path: string) => bench.call('GET', path, { key: ADMIN_KEY });

  it('always lists the live dump, and pages what the dialog opened', async () => {
    const line = { task_id: 1, sample_idx: 0, seqlen: 3, prompt_len: 1, head_version: 2, tail_version: 3 };
    const text = JSON.stringify({
      ...line,
      version_rle: [
        [2, 1],
        [3, 1],
      ],
      reward: 0.5,
      prompt: 'p',
      completion: 'c',
    });
    writeFileSync(join(folder, 'a.jsonl'), `${text}\nbroken\n`);
    const opened = await bench.gateway.openTrajectories(folder);
    if (!opened.ok) throw new Error(opened.error);
    const { files } = trajectoryFilesSchema.parse(await (await get('/rl/trajectory_files')).json());
    expect(files.map(({ kind, records }) => [kind, records])).toEqual([
      ['live', 0],
      ['folder', 2],
    ]);
    const path = `/rl/trajectory_files/${opened.value.id}`;
    const page = trajectoryRowsSchema.parse(await (await get(`${path}/records?offset=0&limit=10&summary=1`)).json());
    expect(page.total).toBe(2);
    expect(page.rows[0]?.record).toMatchObject({ reward: 0.5, prompt: '', completion: '' });
    expect(page.rows[1]?.error).toMatch(/Not JSON/);
    const bad = trajectoryRowsSchema.parse(await (await get(`${path}/records?bad=1`)).json());
    expect(bad).toEqual({ total: 1, rows: [page.rows[1]] });
    expect(bad.rows[0]).toMatchObject({ index: 1, file: 'a.jsonl', line: 2, beginning: 'broken' });
    const statistics = groupStatisticsSchema.parse(await (await get(`${path}/statistics`)).json());
    expect(statistics).toMatchObject({ trajectories: 1, mixed_version: 1, overall: { mean: 0.5 } });
  });

  it('refuses a folder without dumps in words, and never opens a path over HTTP', async () => {
    const opened = await bench.gateway.openTrajectories(folder);
    expect(opened).toMatchObject({ ok: false, error: expect.stringContaining('.jsonl') });
    expect((await bench.call('POST', '/rl/trajectory_files', { key: ADMIN_KEY, body: { path: '/etc' } })).status).toBe(
      405,
    );
  });

  it.each([
    ['/rl/trajectory_files/nothing/records', 404],
    ['/rl/trajectory_files/live/records?limit=0', 422],
    ['/rl/trajectory_files/live/records?offset=-1', 422],
    ['/rl/trajectory_files/live/records?bad=2', 422],
  ])('answers %s with %i', async (path, status) => {
    expect((await get(path)).status).toBe(status);
  });

  it.each([
    ['limit=', 'limit must be from 1 to 500, in decimal digits.'],
    ['limit=0', 'limit must be from 1 to 500, in decimal digits.'],
    ['limit=501', 'limit must be from 1 to 500, in decimal digits.'],
    ['limit=1e2', 'limit must be from 1 to 500, in decimal digits.'],
    ['limit=+5', 'limit must be from 1 to 500, in decimal digits.'],
    ['offset=', 'offset must be 0 or more, in decimal digits.'],
    ['offset=0x1', 'offset must be 0 or more, in decimal digits.'],
    ['offset=%20', 'offset must be 0 or more, in decimal digits.'],
    ['offset=1%0A', 'offset must be 0 or more, in decimal digits.'],
    ['offset=1.0', 'offset must be 0 or more, in decimal digits.'],
    ['offset=-0', 'offset must be 0 or more, in decimal digits.'],
    ['offset=%D9%A1', 'offset must be 0 or more, in decimal digits.'],
    ['offset=9007199254740992', 'offset must be 0 or more, in decimal digits.'],
    ['summary=', 'summary must be 0 or 1.'],
    ['limit=5&bad=2', 'bad must be 0 or 1.'],
  ])('refuses ?%s by the name of its field', async (query, message) => {
    const response = await get(`/rl/trajectory_files/live/records?${query}`);
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ error: { message } });
  });

  it.each(['offset=0&limit=1', 'offset=007', 'limit=500', 'offset=9007199254740991&bad=1'])(
    'takes ?%s',
    async (query) => {
      expect((await get(`/rl/trajectory_files/live/records?${query}`)).status).toBe(200);
    },
  );

  it.each(['/rl/trajectory_files', '/rl/trajectory_files/live/records', '/rl/statistics', '/rl/receipts'])(
    'keeps %s for the admin',
    async (path) => {
      const session = await bench.startSession();
      expect((await bench.call('GET', path, { key: session.key })).status).toBe(401);
    },
  );

  it('counts rated answers of ended sessions in the live statistics', async () => {
    for (const reward of [1, -1]) {
      const session = await bench.startSession({ group_id: 'g' });
      const { id } = await bench.chat(session.key, 'hello');
      await bench.call('POST', '/rl/set_reward', { key: session.key, body: { interaction_id: id, reward } });
      await bench.call('POST', '/rl/end_session', { key: session.key });
    }
    const statistics = groupStatisticsSchema.parse(await (await get('/rl/statistics')).json());
    expect(statistics).toMatchObject({ trajectories: 2, overall: { mean: 0 }, groups: { total: 1, singletons: 0 } });
  });
});
