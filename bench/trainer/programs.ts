import { type ChildProcess, spawn } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';

/** The embedded engine on a free port; resolves when it is ready. */
export async function startEngine(program: string, model: string): Promise<{ child: ChildProcess; url: string }> {
  const flags = ['--model-path', model, '--port', '0', '--random-seed', '1', '--weight-version', '0'];
  const child = spawn(process.execPath, [program, ...flags, '--exit-on-stdin-eof']);
  const url = await new Promise<string>((ready, failed) => {
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      const match = /ready (http:\S+)/.exec(text);
      if (match?.[1] !== undefined) ready(match[1]);
    });
    child.on('exit', () => failed(new Error(`the engine ended: ${text}`)));
  });
  return { child, url };
}

export async function post(url: string, body: object): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return JSON.parse(text) as unknown;
}

/** One line about where the numbers come from. */
export function machine(): string {
  const [load = 0] = loadavg();
  const [processor] = cpus();
  return `${processor?.model ?? 'unknown processor'} × ${cpus().length}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}, load ${load.toFixed(1)}`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
