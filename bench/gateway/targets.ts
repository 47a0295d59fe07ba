import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Caller, Reply } from './load';

export const TOKENS = 8;
const MESSAGES = [{ role: 'user', content: 'What is 12 + 7?' }];

/** Flags of Node that `npm run serve` starts the gateway with. */
export function serveFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { serve: string } }; // our own file
  const [, flags = ''] = /node ((?:--\S+ )*)out\/programs/.exec(scripts.serve) ?? [];
  return flags.split(' ').filter((flag) => flag !== '');
}

/** Programs started here end with {@link Programs.close}. */
export class Programs {
  readonly #children: ChildProcess[] = [];

  /** Runs a bundled program; it prints its address as JSON. */
  async start(
    program: string,
    args: readonly string[],
    { env = {}, nodeFlags = [] }: { env?: Readonly<Record<string, string>>; nodeFlags?: readonly string[] } = {},
  ): Promise<string> {
    const child = spawn(process.execPath, [...nodeFlags, join('.cache', 'bench', `${program}.cjs`), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    this.#children.push(child);
    const line = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).once('line', resolve);
      child.once('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
    });
    return (JSON.parse(line) as { url: string }).url; // both programs print it
  }

  close(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }
}

/** MiB of a process, and of its objects, those included that wait for the next collection. */
export interface MemoryMiB {
  readonly resident: number;
  readonly heap: number;
}

/** A gateway that speaks AReaL's v1 routes: ours, or another one. */
export class GatewayTarget {
  #keys: string[] = [];

  constructor(
    readonly name: string,
    private readonly url: string,
    private readonly adminKey: string,
    private readonly caller: Caller,
  ) {}

  /** Opens sessions until there are so many; calls go round the newest of them. */
  async openSessions(count: number): Promise<void> {
    while (this.#keys.length < count) {
      const size = Math.min(32, count - this.#keys.length);
      const started = await Promise.all(
        Array.from({ length: size }, () =>
          this.caller.post(`${this.url}/rl/start_session`, this.adminKey, { task_id: `bench-${this.#keys.length}` }),
        ),
      );
      for (const { text } of started) this.#keys.push((JSON.parse(text) as { api_key: string }).api_key);
    }
  }

  get sessions(): number {
    return this.#keys.length;
  }

  /** Each loop moves through sessions of its own, so that all of them are in use. */
  chat(loop: number, turn: number, connections: number, stream: boolean): Promise<Reply> {
    const own = Math.max(1, Math.floor(this.#keys.length / connections));
    const key = this.#keys[(loop * own + (turn % own)) % this.#keys.length] ?? '';
    // A text of its own, so that no two requests in flight are the same one.
    const messages = [{ role: 'user', content: `${MESSAGES[0]?.content} (${loop}.${turn % 1000})` }];
    const body = { model: 'm', messages, stream, max_tokens: TOKENS, temperature: 1 };
    return this.caller.post(`${this.url}/chat/completions`, key, body);
  }

  rate(loop: number, reward: number): Promise<Reply> {
    return this.caller.post(`${this.url}/rl/set_reward`, this.#keys[loop] ?? '', { reward });
  }

  /** One whole episode under a key of its own; an answer of several turns goes on from the ones before. */
  async episode(task: string, turns = 1): Promise<void> {
    const { text } = await this.caller.post(`${this.url}/rl/start_session`, this.adminKey, { task_id: task });
    const key = (JSON.parse(text) as { api_key: string }).api_key;
    const messages: unknown[] = [...MESSAGES];
    for (let turn = 1; turn <= turns; turn += 1) {
      const body = { model: 'm', messages, max_tokens: TOKENS, stream: turn === turns };
      const answer = await this.caller.post(`${this.url}/chat/completions`, key, body);
      if (turn === turns) break;
      const { choices } = JSON.parse(answer.text) as { choices: { message: unknown }[] };
      messages.push(choices[0]?.message, { role: 'user', content: `And ${turn} more?` });
    }
    await this.caller.post(`${this.url}/rl/set_reward`, key, { reward: 1 });
    await this.caller.post(`${this.url}/rl/end_session`, key, {});
  }

  /** MiB of the process, as it says itself; null for a gateway without `/metrics`. */
  async residentMiB(): Promise<number | null> {
    return (await this.memory())?.resident ?? null;
  }

  async memory(): Promise<MemoryMiB | null> {
    const reply = await this.caller.call('GET', `${this.url}/metrics`, this.adminKey).catch(() => null);
    const [resident, heap] = ['process_resident_memory_bytes', 'nodejs_heap_size_used_bytes'].map(
      (name) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(reply?.text ?? '')?.[1] ?? Number.NaN) / 2 ** 20,
    );
    return resident === undefined || heap === undefined || Number.isNaN(resident) ? null : { resident, heap };
  }
}

/** The scripted engine asked directly: what a gateway is compared with. */
export class EngineTarget {
  #rid = 0;

  constructor(
    private readonly url: string,
    private readonly caller: Caller,
  ) {}

  generate(stream: boolean): Promise<Reply> {
    this.#rid += 1;
    const sampling_params = { max_new_tokens: TOKENS, temperature: 1 };
    const body = { rid: `bench-${this.#rid}`, input_ids: [1, 2, 3], return_logprob: true, stream, sampling_params };
    return this.caller.post(`${this.url}/generate`, 'none', body);
  }
}
