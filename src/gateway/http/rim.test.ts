import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Status } from '../../shared/wire/rl';
import { createGateway } from '../compose';
import { parseGatewayConfig } from '../config';
import type { Logger } from '../platform/logger';
import { fillDisk } from '../store/testing/full-disk';
import { GatewayPool } from '../testing/gateway-pool';
import { ADMIN_KEY, noEngine, noTrainer } from '../testing/test-gateway';

const gateways = new GatewayPool();
const { create } = gateways;
afterEach(() => gateways.close());

describe('request ids', () => {
  it.each([
    ['makes one', undefined, /^req_[0-9a-f]{24}$/],
    ['echoes the caller’s', 'trace-7.a:b', /^trace-7\.a:b$/],
    ['replaces one that is no plain word', 'two words', /^req_/],
    ['replaces one that is too long', 'x'.repeat(129), /^req_/],
  ])('%s, on success and on refusal', async (_reason, given, expected) => {
    const test = create();
    const headers = given === undefined ? undefined : { 'x-request-id': given };
    for (const path of ['/health', '/rl/status', '/nowhere']) {
      const reply = await test.call('GET', path, { headers });
      expect(reply.headers.get('x-request-id')).toMatch(expected);
      expect(reply.headers.get('request-id')).toBe(reply.headers.get('x-request-id'));
    }
  });
});

describe('the log', () => {
  it('names routes, ids and statuses, and never a key, a path or a word of a prompt', async () => {
    const lines: string[] = [];
    const logger: Logger = { log: (...entry) => lines.push(JSON.stringify(entry)) };
    const test = create({ logger });
    const { key } = await test.startSession();
    await test.chat(key, 'a secret word');
    await test.call('POST', '/v1/chat/completions', { key: 'wrong-secret', body: { messages: 'a secret word' } });
    await test.call('GET', '/rl/sessions/secret-id?x=secret', { key: ADMIN_KEY, headers: { 'x-request-id': 'mine' } });
    const log = lines.join('\n');
    expect(log).toContain('"route":"/rl/sessions/:id","status":404');
    expect(log).toContain('"request_id":"mine"');
    expect(log).toContain('"route":"/v1/chat/completions","status":401');
    for (const secret of ['secret', key, ADMIN_KEY]) expect(log).not.toContain(secret);
  });
});

describe('requests per second', () => {
  it('stops one key with 429 and Retry-After, and nobody else', async () => {
    const test = create({ config: { requestsPerSecond: 1 } });
    const first = await test.startSession();
    const second = await test.startSession();
    const rate = (key: string) => test.call('POST', '/rl/set_reward', { key, body: { reward: 1 } });
    const statuses = [await rate(first.key), await rate(first.key), await rate(first.key)].map((reply) => reply.status);
    expect(statuses).toEqual([400, 400, 429]);
    const stopped = await rate(first.key);
    expect(Number(stopped.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await stopped.json()).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
    expect((await rate(second.key)).status).toBe(400);
    for (let i = 0; i < 5; i += 1) expect((await test.call('GET', '/rl/status', { key: ADMIN_KEY })).status).toBe(200);
  });
});

describe('GET /metrics', () => {
  it('is for the admin', async () => {
    expect((await create().call('GET', '/metrics')).status).toBe(401);
  });

  it('counts what happened', async () => {
    const test = create();
    const { key } = await test.startSession();
    await test.startSession({ source: 'human' });
    const { id } = await test.chat(key, 'hi');
    await test.call('POST', '/rl/set_reward', { key, body: { reward: 1, interaction_id: id } });
    await test.call('GET', '/no/such/route');
    const reply = await test.call('GET', '/metrics', { key: ADMIN_KEY });
    expect(reply.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await reply.text();
    for (const line of [
      'plaudit_http_requests_total{method="POST",route="/rl/start_session",status="200"} 2',
      'plaudit_http_requests_total{method="GET",route="none",status="404"} 1',
      'plaudit_sessions{source="agent",state="open"} 1',
      'plaudit_sessions{source="human",state="open"} 1',
      'plaudit_ratings{state="waiting"} 1',
      'plaudit_capacity{kind="running"} 1',
      'plaudit_capacity{kind="gated"} 0',
      'plaudit_engine_serving 1',
      'plaudit_engine_calls{state="open"} 0',
      'plaudit_engine_calls{state="waiting"} 0',
      'plaudit_trainer_state{state="off"} 1',
    ])
      expect(text.split('\n')).toContain(line);
    expect(text).not.toContain(key);
  });
});

describe('Host', () => {
  it.each([
    ['a loopback gateway', '127.0.0.1', 'localhost:8090', [], 200],
    ['a loopback gateway', '127.0.0.1', 'attacker.example', [], 403],
    ['a loopback gateway', '127.0.0.1', '192.168.1.5:8090', [], 403],
    ['an open gateway', '0.0.0.0', '192.168.1.5:8090', [], 200],
    ['an open gateway', '0.0.0.0', '[fe80::1]:8090', [], 200],
    ['an open gateway', '0.0.0.0', 'attacker.example', [], 403],
    ['an open gateway', '0.0.0.0', 'gpu-box:8090', ['gpu-box'], 200],
  ])('%s on %s asked as %s with %j answers %i', async (_name, host, header, allowedHosts, status) => {
    const test = create({ config: { host, allowedHosts, adminKey: null } });
    expect((await test.call('GET', '/health', { headers: { host: header } })).status).toBe(status);
  });
});

describe('an address that other machines reach', () => {
  it('is refused with an admin key that somebody chose', () => {
    const test = create();
    const config = parseGatewayConfig({
      dataDir: `${test.dataDir}/open`,
      modelPath: `${test.dataDir}/tiny-model`,
      host: '0.0.0.0',
      adminKey: 'chosen-by-hand',
    });
    const ports = { engineLocator: noEngine, trainerLink: noTrainer };
    expect(() => createGateway(config, ports)).toThrow(/insists on an admin key it made itself/);
  });

  it('is told what it exposes', () => {
    const lines: unknown[][] = [];
    create({ config: { host: '0.0.0.0', adminKey: null }, logger: { log: (...entry) => lines.push(entry) } });
    expect(JSON.stringify(lines)).toMatch(/gateway-exposed.*every machine that reaches this address/);
  });
});

describe('a gateway whose database is damaged', () => {
  it('starts with what can be saved, says what it cost, and forgets when told to', async () => {
    const first = create();
    for (let k = 0; k < 60; k += 1) await first.chat((await first.startSession()).key, `question ${k}`);
    const { dataDir } = first;
    await first.gateway.close();
    const path = join(dataDir, 'runs', 'plaudit', 'trial0', 'plaudit.db');
    const bytes = readFileSync(path);
    for (let at = 4096; at < bytes.length; at += 4096)
      if (bytes[at] === 0x0a && bytes.subarray(at, at + 4096).includes('question 7')) bytes.fill(0x77, at, at + 4096);
    writeFileSync(path, bytes);

    const second = create({ dataDir });
    const status = async () => (await (await second.call('GET', '/rl/status', { key: ADMIN_KEY })).json()) as Status;
    const line = (await status()).trouble.find(({ kind }) => kind === 'database-recovered');
    expect(line?.message).toMatch(/The database was damaged\. Saved were 60 sessions, \d+ answers/);
    expect(line?.advice).toMatch(/kept as .*plaudit\.db\.damaged-/);
    expect((await second.chat((await second.startSession()).key, 'on we go')).status).toBe(200);
    expect((await second.call('DELETE', '/rl/recovery', { key: ADMIN_KEY })).status).toBe(200);
    expect((await status()).trouble).toEqual([]);
    expect((await second.call('DELETE', '/rl/recovery', { key: ADMIN_KEY })).status).toBe(404);
  });
});

describe('a gateway whose disk is full', () => {
  it('refuses with 507, says so in the status, keeps what it acknowledged, and goes on when there is room', async () => {
    const test = create();
    const { key } = await test.startSession();
    const { id } = await test.chat(key, 'before');
    const makeRoom = fillDisk();
    const rate = () => test.call('POST', '/rl/set_reward', { key, body: { reward: 1 } });
    const troubles = async () =>
      ((await (await test.call('GET', '/rl/status', { key: ADMIN_KEY })).json()) as Status).trouble;
    expect((await test.chat(key, 'meanwhile')).status).toBe(507);
    expect((await rate()).status).toBe(507);
    expect(await troubles()).toMatchObject([{ kind: 'disk-full', advice: expect.stringContaining('Free some space') }]);
    makeRoom();
    expect(await (await rate()).json()).toMatchObject({ interaction_id: id, outcome: 'set' });
    expect(await troubles()).toEqual([]);
  });
});
