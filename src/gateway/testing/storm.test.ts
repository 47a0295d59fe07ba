import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { mulberry32 } from '../../embedded/model/testing/tiny-checkpoint';
import { sessionId } from '../../shared/domain/ids';
import { FakeSglang, tokenAt } from '../backends/sglang/testing/fake-sglang';
import { MovableLocator } from '../backends/sglang/testing/movable-locator';
import { createGateway } from '../compose';
import { parseGatewayConfig } from '../config';
import { silentLogger } from '../platform/logger';
import { openDatabase } from '../store/database';
import { InteractionStore } from '../store/interactions';
import { RewardStore } from '../store/rewards';
import { ADMIN_KEY, noTrainer, writeTinyTokenizer } from './test-gateway';

const SESSIONS = 6;
const CALLS_PER_SESSION = 8;
const folder = mkdtempSync(join(tmpdir(), 'storm-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a gateway in a storm', () => {
  it('keeps exactly what was sampled and every confirmed rating, while engines die and clients hang up', async () => {
    const random = mulberry32(20_261_129);
    const engines: FakeSglang[] = [];
    const locator = new MovableLocator();
    const replaceEngine = async (): Promise<void> => {
      const engine = await FakeSglang.start({
        weightVersion: String(engines.length),
        style: engines.length % 2 === 0 ? 'incremental' : 'cumulative',
        beforeToken: async (_index, response) => {
          await new Promise((resolve) => setImmediate(resolve));
          const chance = random();
          if (chance < 0.01) response.destroy();
          else if (chance < 0.015 && engine === engines.at(-1)) await replaceEngine();
        },
      });
      engines.push(engine);
      locator.move(engine.url);
    };
    await replaceEngine();
    const modelPath = join(folder, 'model');
    writeTinyTokenizer(modelPath);
    const config = parseGatewayConfig({ dataDir: folder, modelPath, adminKey: ADMIN_KEY, port: 0 });
    const gateway = createGateway(config, { engineLocator: locator, trainerLink: noTrainer, logger: silentLogger });
    const { url } = await gateway.listen();
    const post = (path: string, key: string, body: unknown, signal?: AbortSignal): Promise<Response> =>
      fetch(url + path, {
        method: 'POST',
        signal,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });

    const answered = new Map<string, number>();
    const confirmed = new Map<string, number>();
    const ids: string[] = [];
    const runSession = async (): Promise<void> => {
      const started = await post('/rl/start_session', ADMIN_KEY, { task_id: 'storm' });
      const { api_key: key, session_id: session } = (await started.json()) as { api_key: string; session_id: string };
      ids.push(session);
      for (let call = 0; call < CALLS_PER_SESSION; call += 1) {
        const client = new AbortController();
        const hangsUp = random() < 0.3;
        if (hangsUp) setTimeout(() => client.abort(), random() * 30);
        const messages = [{ role: 'user', content: `question ${call}` }];
        const body = { model: 'm', messages, max_tokens: 1 + Math.floor(random() * 40), stream: random() < 0.5 };
        const text = await post('/chat/completions', key, body, client.signal)
          .then((reply) => (reply.status === 200 ? reply.text() : null))
          .catch(() => null);
        const id = text === null ? null : (/"id":"(chatcmpl-[0-9a-f]+)"/.exec(text)?.[1] ?? null);
        if (id === null) continue;
        answered.set(id, Number(/"completion_tokens":(\d+)/.exec(text ?? '')?.[1]));
        const reward = random();
        const rated = await post('/rl/set_reward', key, { reward, interaction_id: id });
        expect(rated.status).toBe(200);
        confirmed.set(id, reward);
      }
    };
    await Promise.all(Array.from({ length: SESSIONS }, runSession));
    await gateway.close();
    for (const engine of engines) await engine.stop();

    expect(engines.length).toBeGreaterThan(1);
    expect(answered.size).toBeGreaterThan(SESSIONS);
    const database = openDatabase(join(gateway.runDir, 'plaudit.db'));
    const rows = ids.flatMap((id) => new InteractionStore(database).listOfSession(sessionId(id)));
    for (const row of rows) {
      expect(['finished', 'failed']).toContain(row.state);
      const length = row.outputTokenIds.length;
      expect([row.outputLogprobs.length, row.outputVersions.length]).toEqual([length, length]);
      expect(row.outputTokenIds).toEqual(row.outputTokenIds.map((_, at) => tokenAt(row.promptTokenIds.length + at)));
      expect(row.outputVersions).toEqual([...row.outputVersions].sort((left, right) => left - right));
      const tokens = answered.get(row.id);
      if (tokens !== undefined) expect([row.state, length]).toEqual(['finished', tokens]);
    }
    for (const [id, reward] of confirmed)
      expect(
        new RewardStore(database).listOfSession(rows.find((row) => row.id === id)?.sessionId ?? sessionId('none')),
      ).toContainEqual(expect.objectContaining({ interactionId: id, value: reward }));
    database.close();
  });
});
