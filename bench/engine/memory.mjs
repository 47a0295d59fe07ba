// node bench/engine/memory.mjs [electron] [starts]: resident memory of the engine as the app starts it, as medians over several
// starts: idle after its warm-up, after 64 short requests at once, and after 32 requests that fill 256 positions each. The peak is
// the highest the kernel ever saw. Linux only. Ends with 1 when a median peak misses the bar.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildProgram } from '../../scripts/build-programs.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const BAR_MB = 250;
const isElectron = process.argv.includes('electron');
const starts = Number(process.argv.find((word) => /^\d+$/.test(word)) ?? 3);
const folder = mkdtempSync(join(tmpdir(), 'plaudit-memory-'));
const program = await buildProgram('engine', { outDir: folder });
const runtime = isElectron ? join(root, 'node_modules', 'electron', 'dist', 'electron') : process.execPath;
const phases = [
  ['idle', async () => undefined],
  ['64 short requests', (url) => together(64, (i) => generate(url, 8, 45, i))],
  ['32 × 256 positions, short prompts', (url) => together(32, (i) => generate(url, 4, 252, i))],
  ['32 × 256 positions, long prompts', (url) => together(32, (i) => generate(url, 200, 56, i))],
  ['idle again', async () => undefined],
];
const seen = phases.map(() => ({ now: [], peak: [] }));
try {
  for (let start = 0; start < starts; start++) await measure();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const table = phases.map(([state], i) => ({
  state,
  'RSS MB': median(seen[i].now),
  'peak so far MB': median(seen[i].peak),
  bar: median(seen[i].peak) < BAR_MB ? 'met' : 'MISSED',
}));
console.log(
  `${isElectron ? 'Electron as Node' : `Node ${process.version}`}, medians of ${starts} starts, bar ${BAR_MB} MB`,
);
console.table(table);
process.exitCode = table.some(({ bar }) => bar === 'MISSED') ? 1 : 0;

async function measure() {
  // Flags as in src/supervisor/embedded-engine-command.ts.
  const child = spawn(
    runtime,
    ['--max-semi-space-size=2', program, '--model-path', join(root, 'assets', 'demo-model'), '--port', '0'],
    {
      env: { ...process.env, ...(isElectron ? { ELECTRON_RUN_AS_NODE: '1' } : {}) },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  try {
    const url = await readyUrl(child);
    for (const [i, [, work]] of phases.entries()) {
      await work(url);
      await atRest(child.pid);
      seen[i].now.push(statusMb(child.pid, 'VmRSS'));
      seen[i].peak.push(statusMb(child.pid, 'VmHWM'));
    }
  } finally {
    child.kill('SIGKILL');
  }
}

function readyUrl(child) {
  let log = '';
  return new Promise((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      log += chunk;
      const ready = /^embedded-engine: ready (\S+)$/m.exec(log);
      if (ready !== null) resolve(ready[1]);
    });
    child.on('exit', (code) => reject(new Error(`the engine ended with ${code}:\n${log}`)));
  });
}

/** Waits until the process has used next to no processor time for a second: warm-up and answers are over. */
async function atRest(pid) {
  const ticks = () => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13).map(Number);
  const used = () => ticks().reduce((a, b) => a + b);
  for (let before = used(); ; before = used()) {
    await sleep(1000);
    if (used() - before <= 2) return;
  }
}

function statusMb(pid, field) {
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round((Number(kilobytes[1]) * 1024) / 1e6);
}

function together(count, work) {
  return Promise.all(Array.from({ length: count }, (_, i) => work(i)));
}

async function generate(url, promptLength, newTokens, seed) {
  const response = await fetch(`${url}/generate`, {
    method: 'POST',
    body: JSON.stringify({
      input_ids: Array.from({ length: promptLength }, (_, i) => (i * 31 + seed) % 700),
      return_logprob: true,
      sampling_params: { max_new_tokens: newTokens, ignore_eos: true, sampling_seed: seed },
    }),
  });
  const reply = await response.json();
  if (reply.output_ids?.length !== newTokens)
    throw new Error(`unexpected answer: ${JSON.stringify(reply).slice(0, 200)}`);
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
