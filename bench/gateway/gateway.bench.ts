import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Caller, type Measured, measure, quantile } from './load';
import { EngineTarget, GatewayTarget, type MemoryMiB, Programs, serveFlags, TOKENS } from './targets';

/** What a day of the soak stands for: a batch of 32 of them every two minutes, which keeps one trainer busy. */
const EPISODES_PER_HOUR = 1000;
/**
 * What the gateway adds to a scripted engine, at several numbers of connections and of open sessions; durable ratings;
 * memory; and a soak.
 *
 * Latency is measured with an engine that takes its time (`PACED_MS` a token), as real ones do; throughput with one that
 * takes none. Load generator, gateway and engine share the machine, so every number is an upper bound of the cost.
 * `--url` and `--admin-key` measure another gateway of the same protocol in the same run; its engine is one of its own,
 * as slow as ours. For its throughput `--instant-url` names it over an engine without pauses. `--floor` measures beside
 * ours what Node's HTTP and the disk cost by themselves.
 */
const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '1,16,256' },
    sessions: { type: 'string', default: '10,10000' },
    soak: { type: 'string', default: String(24 * EPISODES_PER_HOUR) },
    url: { type: 'string' },
    'instant-url': { type: 'string' },
    floor: { type: 'boolean', default: false },
    'admin-key': { type: 'string' },
  },
});
const SECONDS = Number(options.seconds);
const CONNECTIONS = options.connections.split(',').map(Number);
const SESSIONS = options.sessions.split(',').map(Number);
const ADMIN_KEY = 'bench-admin-key';
const PACED_MS = 10;
const WARM_UP_SECONDS = 4;
const ROUNDS = 3;

const caller = new Caller(512);
const programs = new Programs();
const folders: string[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plaudit-bench-'));
  folders.push(folder);
  return folder;
}

interface Started {
  readonly engine: EngineTarget;
  readonly engineUrl: string;
  readonly ours: GatewayTarget;
}

async function startOurs(pauseMs: number): Promise<Started> {
  const engineUrl = await programs.start('gateway-bench-engine', [String(pauseMs)]);
  const env = {
    PLAUDIT_DATA_DIR: newFolder(),
    PLAUDIT_MODEL_PATH: join('assets', 'demo-model'),
    PLAUDIT_ADMIN_KEY: ADMIN_KEY,
    PLAUDIT_PORT: '0',
    PLAUDIT_ENGINE_URL: engineUrl,
  };
  const url = await programs.start('gateway-bench-serve', [], { env, nodeFlags: serveFlags() });
  const ours = new GatewayTarget('ours', url, ADMIN_KEY, caller);
  return { engine: new EngineTarget(engineUrl, caller), engineUrl, ours };
}

/** Proxies over the same engine that do nothing but pass on, and the same with a wait for the disk. */
async function startFloor(engineUrl: string): Promise<GatewayTarget[]> {
  const start = async (name: string, args: readonly string[]): Promise<GatewayTarget> => {
    const env = { PLAUDIT_DATA_DIR: newFolder(), PLAUDIT_ENGINE_URL: engineUrl };
    return new GatewayTarget(name, await programs.start('gateway-bench-floor', args, { env }), ADMIN_KEY, caller);
  };
  return [await start('bare proxy', []), await start('proxy and disk', ['synced'])];
}

const ms = (value: number): string => value.toFixed(2).padStart(8);

function row(name: string, connections: number, { perSecond, p50, p99, firstP50 }: Measured): void {
  console.log(
    `${name.padEnd(34)} ${String(connections).padStart(4)} ${perSecond.toFixed(0).padStart(7)} ${ms(p50)} ${ms(p99)} ${ms(firstP50)}`,
  );
}

function bar(what: string, value: number, isMet: boolean, limit: string): void {
  console.log(`${isMet ? 'met  ' : 'MISSED'} ${what}: ${value.toFixed(2)} (${limit})`);
}

/** A gateway that serves has served before: the first thousand requests pay for the compiler. */
async function warmUp(targets: readonly GatewayTarget[]): Promise<void> {
  for (const target of targets) {
    await target.openSessions(Math.min(...SESSIONS));
    for (const stream of [false, true]) {
      let turn = 0;
      await measure(64, WARM_UP_SECONDS, (loop) => target.chat(loop, turn++, 64, stream));
    }
  }
}

/** What one target added in one round, in ms. */
interface Added {
  readonly p50: number;
  readonly p99: number;
  readonly firstP50: number;
}

/**
 * Added time at each number of connections: the engine asked directly and through each target, in turn, several times.
 * What counts is the median of the rounds, so that a moment in which the machine did something else does not.
 */
async function latency(targets: readonly GatewayTarget[], engine: EngineTarget): Promise<void> {
  console.log(
    `\nlatency, engine at ${PACED_MS} ms a token, ${TOKENS} tokens: requests/s, ms whole p50 p99, first byte p50`,
  );
  for (const connections of CONNECTIONS)
    for (const stream of [false, true]) {
      const added = new Map<GatewayTarget, Added[]>(targets.map((target) => [target, []]));
      for (let round = 0; round < ROUNDS; round += 1) {
        const direct = await measure(connections, SECONDS, () => engine.generate(stream));
        row(`engine, ${kindOf(stream)}`, connections, direct);
        for (const [target, rounds] of added) {
          let turn = 0;
          const through = await measure(connections, SECONDS, (loop) => target.chat(loop, turn++, connections, stream));
          row(`${target.name}, ${kindOf(stream)}`, connections, through);
          rounds.push({
            p50: through.p50 - direct.p50,
            p99: through.p99 - direct.p99,
            firstP50: through.firstP50 - direct.firstP50,
          });
        }
      }
      for (const [target, rounds] of added) tellAdded(target.name, connections, stream, rounds);
    }
}

const kindOf = (stream: boolean): string => (stream ? 'SSE' : 'JSON');

function tellAdded(name: string, connections: number, stream: boolean, rounds: readonly Added[]): void {
  const middle = (of: (added: Added) => number): number => quantile(rounds.map(of), 0.5);
  const [p50, first] = [middle((added) => added.p50), middle((added) => added.firstP50)];
  console.log(`${`  added by ${name}, median`.padEnd(47)} ${ms(p50)} ${ms(middle((added) => added.p99))} ${ms(first)}`);
  if (name !== 'ours' || connections !== 16) return;
  bar(`added p50, ${kindOf(stream)}, ms`, p50, p50 <= 1, '≤ 1');
  if (stream) bar('added to the first token, ms', first, first <= 5, '≤ 5');
}

async function throughput(targets: readonly GatewayTarget[]): Promise<void> {
  console.log('\nthroughput, engine without pauses: requests/s, ms whole p50 p99, first byte p50');
  for (const target of targets) {
    const rates: number[] = [];
    for (const sessions of SESSIONS) {
      await target.openSessions(sessions);
      const name = `${target.name}, ${sessions} sessions`;
      let turn = 0;
      const whole = await measure(16, SECONDS, (loop) => target.chat(loop, turn++, 16, false));
      row(`${name}, JSON`, 16, whole);
      const streamed = await measure(16, SECONDS, (loop) => target.chat(loop, turn++, 16, true));
      row(`${name}, SSE`, 16, streamed);
      let value = 0;
      const rated = await measure(10, SECONDS / 2, (loop) => target.rate(loop, (value++ % 1000) / 1000));
      row(`${name}, ratings`, 10, rated);
      rates.push(whole.perSecond + streamed.perSecond);
      const memory = await target.residentMiB();
      if (memory === null) continue;
      console.log(`${name}: ${memory.toFixed(0)} MiB`);
      if (sessions >= 10_000) bar('memory, MiB', memory, memory < 1024, '< 1024');
    }
    const flat = (rates[rates.length - 1] ?? Number.NaN) / (rates[0] ?? Number.NaN);
    if (rates.length > 1) bar(`${target.name}: throughput kept`, flat, flat >= 0.9, '≥ 0.9');
  }
}

const PARTS = 10;
/** Of each part: one would meet the collector's saw-tooth at its top or at its bottom. */
const SAMPLES = 20;

/** Whole episodes one after the other: what is over must cost nothing. Every fourth has several turns. */
async function soak(target: GatewayTarget, episodes: number): Promise<void> {
  const hours = (episodes / EPISODES_PER_HOUR).toFixed(1);
  console.log(
    `\nsoak: ${episodes} episodes of start, answers, rating, end: ${hours} hours at ${EPISODES_PER_HOUR} an hour`,
  );
  const startedAt = performance.now();
  const tenths: MemoryMiB[][] = [];
  for (let part = 0; part < PARTS; part += 1) tenths.push(await soakPart(target, Math.ceil(episodes / PARTS)));
  console.log(`took ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  const resident = tenths.map((samples) => samples.map((sample) => sample.resident));
  const heap = tenths.map((samples) => samples.map((sample) => sample.heap));
  const line = (what: string, values: readonly number[]): void =>
    console.log(`${what.padEnd(40)} ${values.map((value) => value.toFixed(0).padStart(4)).join(' ')}`);
  line('MiB resident in each tenth, mean', resident.map(mean));
  line('  least', resident.map(least));
  line('  most', resident.map(most));
  line('MiB of objects on the heap, least', heap.map(least));
  line('  most', heap.map(most));
  const growth = (of: (values: readonly number[]) => number): number =>
    mean(resident.slice(7).map(of)) / mean(resident.slice(2, 5).map(of));
  const what = 'memory of the last three tenths over that of the third to fifth';
  for (const [name, value] of [
    ['mean', growth(mean)],
    ['least', growth(least)],
  ] as const)
    bar(`${what}, ${name}`, value, value < 1.1, '< 1.1');
}

async function soakPart(target: GatewayTarget, episodes: number): Promise<MemoryMiB[]> {
  const samples: MemoryMiB[] = [];
  const between = Math.max(1, Math.floor(episodes / SAMPLES));
  let left = episodes;
  await Promise.all(
    Array.from({ length: 16 }, async (_, loop) => {
      while (left > 0) {
        left -= 1;
        const at = left;
        await target.episode(`soak-${loop}`, at % 4 === 0 ? 5 : 1);
        const sample = at % between === 0 ? await target.memory() : null;
        if (sample !== null) samples.push(sample);
      }
    }),
  );
  return samples;
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const least = (values: readonly number[]): number => Math.min(...values);
const most = (values: readonly number[]): number => Math.max(...values);

async function main(): Promise<void> {
  console.log(
    `${cpus()[0]?.model ?? '?'} × ${cpus().length}, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}, ${SECONDS} s each`,
  );
  const other = (url: string | undefined): GatewayTarget[] =>
    url === undefined ? [] : [new GatewayTarget('other', url, options['admin-key'] ?? '', caller)];
  const [others, instantOthers] = [other(options.url), other(options['instant-url'])];
  try {
    const paced = await startOurs(PACED_MS);
    const floor = options.floor ? await startFloor(paced.engineUrl) : [];
    const targets = [paced.ours, ...others, ...floor];
    for (const target of targets) await target.openSessions(Math.max(256, ...CONNECTIONS));
    await warmUp(targets);
    await latency(targets, paced.engine);
    const instant = await startOurs(0);
    await warmUp([instant.ours, ...instantOthers]);
    await throughput([instant.ours, ...instantOthers]);
    if (Number(options.soak) > 0) await soak(instant.ours, Number(options.soak));
  } finally {
    programs.close();
    caller.close();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}

void main();
