import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * What the gateway adds to an engine that costs nothing: whole answers, streamed answers, and durable ratings.
 *
 * Load generator, gateway and engine share the machine, so the numbers are an upper bound of the gateway's cost.
 */
const ADMIN_KEY = 'bench-admin-key';
const CONNECTIONS = 16;
const TOKENS = 8;
const secondsAt = process.argv.indexOf('--seconds');
const DURATION_MS = 1000 * Number(secondsAt < 0 ? 5 : process.argv[secondsAt + 1]);
const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const children: ChildProcess[] = [];

interface Reply {
  readonly text: string;
  /** ms from the request to the first byte and to the last */
  readonly firstMs: number;
  readonly totalMs: number;
}

function post(url: string, key: string, body: unknown): Promise<Reply> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: 'POST',
      agent,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      let text = '';
      let firstMs = 0;
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        if (text === '') firstMs = performance.now() - startedAt;
        text += chunk;
      });
      response.on('end', () => {
        if (response.statusCode === 200) resolve({ text, firstMs, totalMs: performance.now() - startedAt });
        else reject(new Error(`${url}: ${response.statusCode} ${text}`));
      });
    });
    outgoing.end(JSON.stringify(body));
  });
}

async function start(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const child = spawn(process.execPath, [join('.cache', 'bench', `${program}.cjs`), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  children.push(child);
  const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  return (JSON.parse(line) as { url: string }).url;
}

/** Calls from `CONNECTIONS` loops for the duration; one line of results. */
async function measure(name: string, call: (loop: number) => Promise<Reply>): Promise<void> {
  const replies: Reply[] = [];
  const endsAt = performance.now() + DURATION_MS;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, loop) => {
      while (performance.now() < endsAt) replies.push(await call(loop));
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  const total = replies.map((reply) => reply.totalMs).sort((left, right) => left - right);
  const first = replies.map((reply) => reply.firstMs).sort((left, right) => left - right);
  const at = (values: readonly number[], share: number): string =>
    (values[Math.floor((values.length - 1) * share)] ?? Number.NaN).toFixed(2);
  console.log(
    `${name.padEnd(44)} ${(replies.length / seconds).toFixed(0).padStart(6)} /s   whole p50 ${at(total, 0.5)} p99 ${at(total, 0.99)} ms   first byte p50 ${at(first, 0.5)} ms`,
  );
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'plaudit-bench-'));
  try {
    console.log(
      `${cpus()[0]?.model ?? '?'} × ${cpus().length}, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`,
    );
    const engine = await start('gateway-bench-engine', []);
    const gateway = await start('gateway-bench-serve', [], {
      PLAUDIT_DATA_DIR: folder,
      PLAUDIT_MODEL_PATH: join('assets', 'demo-model'),
      PLAUDIT_ADMIN_KEY: ADMIN_KEY,
      PLAUDIT_PORT: '0',
      PLAUDIT_ENGINE_URL: engine,
    });
    const keys = await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        const reply = await post(`${gateway}/rl/start_session`, ADMIN_KEY, { task_id: 'bench' });
        return (JSON.parse(reply.text) as { api_key: string }).api_key;
      }),
    );
    const keyOf = (loop: number): string => keys[loop] ?? '';
    const messages = [{ role: 'user', content: 'What is 12 + 7?' }];
    const chat = (loop: number, stream: boolean): Promise<Reply> =>
      post(`${gateway}/v1/chat/completions`, keyOf(loop), { model: 'm', messages, stream, max_tokens: TOKENS });

    let rid = 0;
    await measure(`engine alone, ${TOKENS} tokens streamed`, () => {
      rid += 1;
      const sampling_params = { max_new_tokens: TOKENS, temperature: 1 };
      const body = { rid: `bench-${rid}`, input_ids: [1, 2, 3], return_logprob: true, stream: true, sampling_params };
      return post(`${engine}/generate`, 'none', body);
    });
    await measure('gateway, whole answer (2 commits)', (loop) => chat(loop, false));
    await measure('gateway, streamed answer (2 commits)', (loop) => chat(loop, true));
    let value = 0;
    await measure('gateway, rating (1 commit)', (loop) => {
      value += 1;
      return post(`${gateway}/rl/set_reward`, keyOf(loop), { reward: (value % 1000) / 1000 });
    });
  } finally {
    for (const child of children) child.kill('SIGKILL');
    agent.destroy();
    rmSync(folder, { recursive: true, force: true });
  }
}

void main();
