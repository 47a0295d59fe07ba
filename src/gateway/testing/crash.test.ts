import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_KEY, writeTinyTokenizer } from './test-gateway';

const program = join('.cache', 'tests', `serve-${process.pid}.cjs`);
const folder = mkdtempSync(join(tmpdir(), 'crash-'));
const children: ChildProcess[] = [];

beforeAll(async () => {
  writeTinyTokenizer(join(folder, 'model'));
  await build({
    entryPoints: ['src/gateway/serve.ts'],
    outfile: program,
    bundle: true,
    platform: 'node',
    target: 'node18',
    format: 'cjs',
    external: ['libsql'],
  });
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(program, { force: true });
  rmSync(folder, { recursive: true, force: true });
});

interface RunningGateway {
  readonly child: ChildProcess;
  call(path: string, key: string, body?: unknown): Promise<Response>;
}

async function startProcess(): Promise<RunningGateway> {
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      ...process.env,
      PLAUDIT_DATA_DIR: join(folder, 'data'),
      PLAUDIT_MODEL_PATH: join(folder, 'model'),
      PLAUDIT_ADMIN_KEY: ADMIN_KEY,
      PLAUDIT_PORT: '0',
    },
  });
  children.push(child);
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const first = await new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code} before it listened`)));
  });
  const { url } = JSON.parse(first) as { url: string };
  return {
    child,
    call: (path, key, body) =>
      fetch(`${url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      }),
  };
}

function kill(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

const question = (content: string, stream: boolean) => ({
  model: 'm',
  messages: [{ role: 'user', content }],
  stream,
});

describe('a gateway that is killed in the middle of an answer', () => {
  it('comes back with every rating it confirmed, the same keys, and the lost answer marked', async () => {
    const first = await startProcess();
    const { api_key: key, session_id: session } = await json(
      first.call('/rl/start_session', ADMIN_KEY, { task_id: 't' }),
    );
    const { id: done } = await json(first.call('/chat/completions', key, question('one', false)));
    expect(await json(first.call('/rl/set_reward', key, { reward: 0.5 }))).toMatchObject({ outcome: 'set' });
    const streamed = await first.call('/chat/completions', key, question('two', true));
    await streamed.body?.getReader().read();
    await kill(first.child);

    const second = await startProcess();
    const detail = await json(second.call(`/rl/sessions/${session}`, ADMIN_KEY));
    expect(detail.interactions).toMatchObject([
      { interaction_id: done, state: 'finished', reward: 0.5, rating_state: 'waiting' },
      { state: 'interrupted', reward: null, completion_tokens: 0 },
    ]);
    const lost = detail.interactions[1]?.interaction_id;
    expect((await second.call('/rl/set_reward', key, { reward: 1, interaction_id: lost })).status).toBe(409);
    expect(await json(second.call('/rl/set_reward', key, { reward: 1 }))).toMatchObject({
      interaction_id: done,
      outcome: 'changed',
      previous_reward: 0.5,
    });
    expect((await second.call('/chat/completions', key, question('three', false))).status).toBe(200);
    await kill(second.child);
  });

  it('keeps every confirmed rating, whenever the kill comes', async () => {
    const confirmed = new Map<string, number>();
    for (let round = 0; round < 3; round += 1) {
      const gateway = await startProcess();
      const { api_key: key } = await json(gateway.call('/rl/start_session', ADMIN_KEY, { task_id: 'many' }));
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          json(gateway.call('/chat/completions', key, question(`q${index}`, false))),
        ),
      );
      const rating = answers.map(async ({ id }, index) => {
        const reply = await gateway.call('/rl/set_reward', key, { reward: index / 8, interaction_id: id });
        if (reply.status === 200) confirmed.set(String(id), index / 8);
      });
      // Not all of them: the kill comes while the rest is under way.
      await Promise.any(rating);
      await kill(gateway.child);
      await Promise.allSettled(rating);
    }
    expect(confirmed.size).toBeGreaterThanOrEqual(3);
    const gateway = await startProcess();
    for (const [id, reward] of confirmed)
      expect(await json(gateway.call(`/rl/interactions/${id}`, ADMIN_KEY))).toMatchObject({ reward });
    await kill(gateway.child);
  });
});

interface Body {
  readonly api_key: string;
  readonly session_id: string;
  readonly id: string;
  readonly interactions: readonly { readonly interaction_id: string }[];
}

/** Bodies of different routes; a test reads only the fields its route has. */
async function json(reply: Promise<Response>): Promise<Body> {
  return (await (await reply).json()) as Body;
}
