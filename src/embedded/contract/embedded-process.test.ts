import { mkdtempSync } from 'node:fs';
import { cp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildProgram } from '../../../scripts/build-programs.mjs';
import { parseSafetensors, serializeSafetensors } from '../model/safetensors';
import { writeTinyCheckpoint } from '../model/testing/tiny-checkpoint';
import { call, PROMPT, until } from './contract-helpers';
import { EngineClient } from './engine-client';
import { electronBinary, exitOf, spawnProcess, startProcess } from './engine-process';

/** What only our engine promises: its lines on stderr, exit codes, and how it refuses each kind of damaged folder. */
const folder = mkdtempSync(join(tmpdir(), 'plaudit-engine-'));
const model = join(folder, 'model');
let program = '';

beforeAll(async () => {
  await writeTinyCheckpoint(model);
  program = (await buildProgram('engine', { outDir: folder })) ?? '';
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = (...extra: string[]) =>
  startProcess({ program, arguments: ['--model-path', model, '--port', '0', ...extra] });

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A copy of the model with one thing wrong. */
async function damaged(name: string, damage: (path: string) => Promise<void>): Promise<string> {
  const path = join(folder, name);
  await cp(model, path, { recursive: true });
  await damage(path);
  return path;
}

async function editConfig(path: string, change: object): Promise<void> {
  const file = join(path, 'config.json');
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), ...change }));
}

async function editWeights(
  path: string,
  edit: (name: string, data: Float32Array) => Float32Array | null,
): Promise<void> {
  const file = join(path, 'model.safetensors');
  const { tensors } = parseSafetensors(await readFile(file));
  const edited = [...tensors].flatMap(([name, { shape, data }]) => {
    const changed = edit(name, data as Float32Array);
    return changed === null
      ? []
      : [[name, { shape: changed === data ? shape : [changed.length], data: changed }] as const];
  });
  await writeFile(file, serializeSafetensors(edited));
}

const DAMAGES: readonly [name: string, fatalId: string, damage: (path: string) => Promise<void>, named: string][] = [
  ['no-weights', 'model_missing', (path) => rm(join(path, 'model.safetensors')), 'model.safetensors'],
  ['no-config', 'model_missing', (path) => rm(join(path, 'config.json')), 'config.json'],
  ['truncated', 'ckpt_broken', (path) => truncate(join(path, 'model.safetensors'), 20_000), 'truncated'],
  ['empty-file', 'ckpt_broken', (path) => truncate(join(path, 'model.safetensors'), 0), 'too short'],
  ['config-not-json', 'ckpt_broken', (path) => writeFile(join(path, 'config.json'), '{'), 'not valid JSON'],
  [
    'tensor-absent',
    'ckpt_broken',
    (path) => editWeights(path, (name, data) => (name === 'model.norm.weight' ? null : data)),
    'model.norm.weight is absent',
  ],
  [
    'wrong-shape',
    'ckpt_broken',
    (path) => editWeights(path, (name, data) => (name === 'model.norm.weight' ? data.slice(1) : data)),
    'has shape [31]',
  ],
  [
    'not-a-number',
    'ckpt_broken',
    (path) => editWeights(path, (name, data) => (name === 'model.norm.weight' ? data.map(() => Number.NaN) : data)),
    'NaN',
  ],
  [
    'overflowing',
    'ckpt_broken',
    (path) => editWeights(path, (name, data) => (name === 'model.norm.weight' ? data.map(() => 3e38) : data)),
    'not finite',
  ],
  ['other-architecture', 'arch', (path) => editConfig(path, { model_type: 'gpt2' }), 'gpt2'],
  ['larger-vocabulary', 'ckpt_broken', (path) => editConfig(path, { vocab_size: 300 }), '300'],
];

describe('start', () => {
  it('is refused, then 503, then 200', async () => {
    const port = await freePort();
    const seen: string[] = [];
    const { child } = spawnProcess({ program, arguments: ['--model-path', model, '--port', String(port)] });
    await until(async () => {
      const status = await fetch(`http://127.0.0.1:${port}/health`).then(
        (response) => String(response.status),
        () => 'refused',
      );
      if (seen[seen.length - 1] !== status) seen.push(status);
      return status === '200';
    });
    child.kill('SIGTERM');
    expect(await exitOf(child)).toBe(0);
    expect(seen.join(' ')).toMatch(/^(refused )?(503 )?200$/);
  });

  it('says what it does on stderr, and warns of flags it does not know', async () => {
    const { child, log } = await start('--mem-fraction-static', '0.8');
    child.kill('SIGTERM');
    await exitOf(child);
    expect(log()).toMatch(/^embedded-engine: warning: --mem-fraction-static /m);
    expect(log()).toMatch(/^embedded-engine: loading 0\/4/m);
    expect(log()).toMatch(/^embedded-engine: ready http:\/\/127\.0\.0\.1:\d+$/m);
  });

  it.each(DAMAGES)('with %s ends with fatal %s', async (name, fatalId, damage, named) => {
    const path = await damaged(`start-${name}`, damage);
    const { child, log } = spawnProcess({ program, arguments: ['--model-path', path, '--port', '0'] });
    expect(await exitOf(child)).toBe(1);
    const fatal = /^embedded-engine: fatal (\w+): (.*)$/m.exec(log());
    expect([fatal?.[1], fatal?.[2]]).toEqual([fatalId, expect.stringContaining(named)]);
  });

  it.each([
    ['bad flags', 2, 'bad_flag', ['--port', 'x']],
    ['a context longer than the model', 1, 'ctx_len', ['--context-length', '512']],
  ])('with %s ends with %i', async (_name, code, fatalId, extra) => {
    const { child, log } = spawnProcess({ program, arguments: ['--model-path', model, ...extra] });
    expect(await exitOf(child)).toBe(code);
    expect(log()).toContain(`embedded-engine: fatal ${fatalId}: `);
  });

  it('on a taken port ends with fatal port_http', async () => {
    const { url, child } = await start();
    const second = spawnProcess({ program, arguments: ['--model-path', model, '--port', new URL(url).port] });
    expect(await exitOf(second.child)).toBe(1);
    expect(second.log()).toContain('fatal port_http');
    child.kill('SIGTERM');
    await exitOf(child);
  });
});

describe('update', () => {
  it.each(DAMAGES)('with %s keeps the old weights', async (name, _fatalId, damage, named) => {
    const path = await damaged(`update-${name}`, damage);
    const { url, child } = await start();
    const engine = new EngineClient(url, null);
    const before = await engine.generate(call({ temperature: 0 }));
    const response = await engine.post('/update_weights_from_disk', { model_path: path, weight_version: 'bad' });
    const body = (await response.json()) as { success: boolean; message: string };
    expect([response.status, body.success]).toEqual([400, false]);
    expect(body.message).toContain(named);
    expect(body.message).toContain('previous weights kept');
    const after = await engine.generate(call({ temperature: 0 }));
    expect([after.ids, after.logprobs, after.version]).toEqual([before.ids, before.logprobs, before.version]);
    child.kill('SIGKILL');
  });
});

describe('end', () => {
  it('follows its parent when stdin ends', async () => {
    const { child } = await start('--exit-on-stdin-eof');
    child.stdin?.end();
    expect(await exitOf(child)).toBe(0);
  });

  it('does not wait for a reader that never reads', async () => {
    const { url, child } = await start();
    const { hostname, port } = new URL(url);
    const body = JSON.stringify(call({ max_new_tokens: null }, { stream: true }));
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(`POST /generate HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    await until(async () => (await new EngineClient(url, null).running()) === 1);
    child.kill('SIGTERM');
    expect(await exitOf(child)).toBe(0);
    socket.destroy();
  });
});

describe('http', () => {
  it('answers strangers plainly: unknown paths, wrong methods, oversized and half-sent bodies', async () => {
    const { url, child } = await start();
    const engine = new EngineClient(url, null);
    for (const path of ['/v1/chat/completions', '/nothing', '/generate']) {
      const response = await engine.get(path);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ error: { message: 'not supported by this engine' } });
    }
    const large = await engine.post('/generate', `{"input_ids":[${'1,'.repeat(3_000_000)}1]}`).then(
      (response) => response.status,
      () => 413,
    );
    expect(large).toBe(413);
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write('POST /generate HTTP/1.1\r\nhost: x\r\ncontent-length: 500\r\n\r\n{"input');
    socket.destroy();
    for (const [path, body, status] of [
      ['/load_lora_adapter', { lora_name: 'a', lora_path: '/x' }, 400],
      ['/release_memory_occupation', {}, 200],
      ['/pause_generation', { mode: 'sideways' }, 400],
      ['/update_weights_from_disk', '{', 400],
      ['/update_weights_from_disk', {}, 400],
      ['/update_weight_version', { new_version: 7 }, 400],
      ['/abort_request', [], 400],
    ] as const) {
      expect((await engine.post(path, body)).status, `${path} ${JSON.stringify(body)}`).toBe(status);
    }
    expect((await engine.generate(call())).ids).toHaveLength(12);
    expect(await (await engine.get('/metrics')).text()).toMatch(/^sglang:generation_tokens_total\{.*\} 12$/m);
    child.kill('SIGKILL');
  });

  it('limits the queue with 503', async () => {
    const { url, child } = await start('--max-queued-requests', '2');
    const engine = new EngineClient(url, null);
    await engine.post('/pause_generation', {});
    const held = [call(), call()].map((body) => engine.generate(body));
    await until(async () => (await engine.running()) === 2);
    expect((await engine.post('/generate', call())).status).toBe(503);
    await engine.post('/continue_generation', {});
    await Promise.all(held);
    child.kill('SIGKILL');
  });
});

describe('memory', () => {
  it('makes the youngest wait when the token budget is full, and changes no answer by it', async () => {
    const { url, child } = await start('--max-total-tokens', '512');
    const engine = new EngineClient(url, null);
    expect(await engine.json('/server_info')).toMatchObject({ max_total_num_tokens: 512 });
    const ask = (seed: number) => call({ sampling_seed: seed, max_new_tokens: 100 + seed });
    const crowd = await Promise.all(
      Array.from({ length: 12 }, (_, seed) => (seed % 2 === 0 ? engine.generate(ask(seed)) : engine.stream(ask(seed)))),
    );
    expect(crowd.map(({ ids }) => ids.length)).toEqual(crowd.map((_, seed) => 100 + seed));
    const retractions = crowd.map(({ meta }) => Number(meta.num_retractions));
    expect(Math.max(...retractions)).toBeGreaterThan(0);
    for (const seed of [0, 1, retractions.indexOf(Math.max(...retractions))]) {
      const alone = await engine.generate(ask(seed));
      expect(alone.meta.num_retractions).toBe(0);
      expect([crowd[seed]?.ids, crowd[seed]?.logprobs]).toEqual([alone.ids, alone.logprobs]);
      expect(crowd[seed]?.versions).toEqual(alone.versions);
    }
    child.kill('SIGKILL');
  });
});

describe('Electron as Node', () => {
  const electron = electronBinary();

  it.runIf(electron !== null)('answers, and continues a cut answer exactly', async () => {
    const { url, child } = await startProcess({
      program,
      arguments: ['--model-path', model, '--port', '0'],
      electron: electron!,
    });
    const engine = new EngineClient(url, null);
    const sampling = { sampling_seed: 3, max_new_tokens: 30 };
    const whole = await engine.generate(call(sampling));
    const rest = await engine.generate({
      ...call({ ...sampling, max_new_tokens: 20 }),
      input_ids: [...PROMPT, ...whole.ids.slice(0, 10)],
    });
    expect([rest.ids, rest.logprobs]).toEqual([whole.ids.slice(10), whole.logprobs.slice(10)]);
    child.kill('SIGTERM');
    expect(await exitOf(child)).toBe(0);
  });
});
