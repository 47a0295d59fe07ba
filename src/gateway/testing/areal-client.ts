import { capacityViewSchema } from '../../shared/wire/rl';
import type { TrainerLink, TrainerLinkEvent } from '../compose';
import { ADMIN_KEY, type TestGateway } from './test-gateway';

/** A reply as a script sees it. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export interface PostOptions {
  readonly key?: string | null;
  readonly signal?: AbortSignal;
}

/** AReaL's routes as its scripts and its trainer call them: plain HTTP, nothing of ours behind it. */
export class ArealClient {
  constructor(
    private readonly request: (path: string, init: RequestInit) => Promise<Response>,
    private readonly adminKey: string = ADMIN_KEY,
  ) {}

  /** Over a socket. */
  static at(url: string, adminKey?: string): ArealClient {
    return new ArealClient((path, init) => fetch(url + path, init), adminKey);
  }

  /** Without one. */
  static of({ gateway }: TestGateway): ArealClient {
    return new ArealClient((path, init) => Promise.resolve(gateway.app.request(path, init)));
  }

  async post(path: string, body: unknown, { key = this.adminKey, signal }: PostOptions = {}): Promise<Reply> {
    const reply = await this.request(path, {
      method: 'POST',
      signal,
      headers: { 'content-type': 'application/json', ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Record<string, unknown> };
  }

  start(fields: Record<string, unknown> = {}, signal?: AbortSignal): Promise<Reply> {
    return this.post('/rl/start_session', { task_id: 't', ...fields }, { signal });
  }

  /** Starts a session that must succeed. */
  async session(fields: Record<string, unknown> = {}): Promise<{ readonly id: string; readonly key: string }> {
    const { status, body } = await this.start(fields);
    if (status !== 200) throw new Error(`start_session answered ${status}: ${JSON.stringify(body)}`);
    return { id: String(body.session_id), key: String(body.api_key) };
  }

  chat(key: string, content = 'hi'): Promise<Reply> {
    return this.post('/chat/completions', { model: 'm', messages: [{ role: 'user', content }] }, { key });
  }

  reward(key: string, reward: number): Promise<Reply> {
    return this.post('/rl/set_reward', { reward }, { key });
  }

  end(key: string): Promise<Reply> {
    return this.post('/rl/end_session', {}, { key });
  }

  wait(signal?: AbortSignal, worker = 'http://worker-0:8000'): Promise<Reply> {
    return this.post('/internal/wait_for_session', { worker_addr: worker }, { signal });
  }

  /** Starts a wait and resolves once it stands in line. */
  async waitInLine(signal?: AbortSignal, worker?: string): Promise<{ readonly reply: Promise<Reply> }> {
    const before = (await this.capacity()).waiters;
    const reply = this.wait(signal, worker);
    await this.until(({ waiters }) => waiters > before);
    return { reply };
  }

  /** Starts a session and rates its one answer; both must succeed. */
  async rated(reward = 1): Promise<{ readonly id: string; readonly key: string }> {
    const session = await this.session();
    await this.chat(session.key);
    const { status, body } = await this.reward(session.key, reward);
    if (status !== 200) throw new Error(`set_reward answered ${status}: ${JSON.stringify(body)}`);
    return session;
  }

  grant(): Promise<Reply> {
    return this.post('/grant_capacity', {});
  }

  async get(path: string): Promise<Record<string, unknown>> {
    const reply = await this.request(path, { headers: { authorization: `Bearer ${this.adminKey}` } });
    return (await reply.json()) as Record<string, unknown>;
  }

  async capacity(): Promise<ReturnType<typeof capacityViewSchema.parse>> {
    return capacityViewSchema.parse((await this.get('/rl/status')).capacity);
  }

  /** Resolves when the capacity shows what is asked for; a test that waits in vain runs into its own timeout. */
  async until(
    holds: (facts: Awaited<ReturnType<ArealClient['capacity']>>) => boolean,
  ): Promise<Awaited<ReturnType<ArealClient['capacity']>>> {
    for (;;) {
      const facts = await this.capacity();
      if (holds(facts)) return facts;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** A trainer that is there and says only what a test makes it say. */
export class TalkingTrainer implements TrainerLink {
  readonly #listeners = new Set<(event: TrainerLinkEvent) => void>();

  send(): boolean {
    return true;
  }

  subscribe(listener: (event: TrainerLinkEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  say(event: TrainerLinkEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  connect(): void {
    this.say({ kind: 'message', message: { type: 'ready', version: 0, last_batch: 0 } });
  }
}
