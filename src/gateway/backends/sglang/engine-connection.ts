import type { z } from 'zod';
import { modelInfoSchema, serverInfoSchema } from '../../../shared/wire/generate';
import type { Clock } from '../../platform/clock';
import { EngineConnectionError, type EngineHttp } from '../../platform/engine-http';
import type { BackendStatus, EngineLocator } from '../backend';
import { parseJson, parseWeightVersion } from './reply-reader';

/** An engine that has answered; a restart makes a new one, also at the same address. */
export interface Engine {
  readonly url: string;
  readonly apiKey: string | null;
  readonly name: string;
  readonly contextLength: number | null;
  /** as its own label says when it was asked; null when the label is no version of ours */
  readonly weightVersion: number | null;
  readonly weightLabel: string | null;
  readonly supports: BackendStatus['supports'];
}

const PROBE_TIMEOUT_MS = 5000;
const RETRY_MS = { first: 100, most: 2000 } as const;

/**
 * Keeps track of the engine: asks a located one who it is, again after every loss, until it answers.
 *
 * `onChange` is called whenever {@link engine} changed.
 */
export class EngineConnection {
  #engine: Engine | null = null;
  #attempt = 0;
  #isClosed = false;
  readonly #unsubscribe: () => void;
  readonly #closing = new AbortController();

  constructor(
    private readonly ports: { readonly http: EngineHttp; readonly locator: EngineLocator; readonly clock: Clock },
    private readonly onChange: () => void,
  ) {
    this.#unsubscribe = ports.locator.subscribe(() => this.#onLocated());
    void this.#connect();
  }

  /** The engine that answered last and was not lost since. */
  get engine(): Engine | null {
    return this.#engine;
  }

  /** A call failed on its connection: ask again whether the engine lives. Late reports about an earlier engine are ignored. */
  reportLoss(engine: Engine): void {
    if (engine === this.#engine) this.reconnect();
  }

  /** Forgets the engine and asks the located one from the start. */
  reconnect(): void {
    this.#set(null);
    void this.#connect();
  }

  /** Asks the engine again; for callers that have just changed its weights. @returns false when it does not answer */
  async refresh(): Promise<boolean> {
    const located = this.ports.locator.current();
    if (located === null) return false;
    const engine = await this.#probe(located);
    if (engine === null) return false;
    this.#set(engine);
    return true;
  }

  close(): void {
    this.#isClosed = true;
    this.#closing.abort();
    this.#unsubscribe();
  }

  #onLocated(): void {
    const located = this.ports.locator.current();
    if (located !== null && located.url === this.#engine?.url) return;
    this.reconnect();
  }

  async #connect(): Promise<void> {
    this.#attempt += 1;
    const attempt = this.#attempt;
    for (let waitMs: number = RETRY_MS.first; ; waitMs = Math.min(waitMs * 2, RETRY_MS.most)) {
      const located = this.ports.locator.current();
      // The locator calls again when there is one.
      if (located === null) return;
      const engine = await this.#probe(located);
      if (this.#isClosed || attempt !== this.#attempt) return;
      if (engine !== null) {
        await this.#resume(engine);
        if (attempt === this.#attempt && !this.#isClosed) this.#set(engine);
        return;
      }
      await this.ports.clock.sleep(waitMs, this.#closing.signal);
      if (this.#isClosed || attempt !== this.#attempt) return;
    }
  }

  /** A gateway that died in the middle of a weight update left the engine paused; continuing one that runs does nothing. */
  async #resume(engine: Engine): Promise<void> {
    await this.#ask('POST', engine, '/continue_generation', {});
  }

  async #probe(located: { readonly url: string; readonly apiKey: string | null }): Promise<Engine | null> {
    const model = modelInfoSchema.safeParse(await this.#ask('GET', located, '/model_info'));
    if (!model.success) return null;
    const server = serverInfoSchema.safeParse(await this.#ask('GET', located, '/server_info'));
    const label = model.data.weight_version ?? null;
    return {
      ...located,
      name: (server.success ? server.data.engine : undefined) ?? 'sglang',
      contextLength: (server.success ? server.data.context_length : null) ?? null,
      weightVersion: parseWeightVersion(label),
      weightLabel: label,
      supports: toSupports(server.success ? server.data : {}),
    };
  }

  async #ask(
    method: 'GET' | 'POST',
    { url, apiKey }: { readonly url: string; readonly apiKey: string | null },
    path: string,
    body?: unknown,
  ): Promise<unknown> {
    try {
      const call = { method, url: `${url}${path}`, apiKey, body };
      const reply = await this.ports.http.call(call, AbortSignal.timeout(PROBE_TIMEOUT_MS));
      return reply.status === 200 ? parseJson(reply.text) : undefined;
    } catch (error) {
      if (error instanceof EngineConnectionError) return undefined;
      throw error;
    }
  }

  #set(engine: Engine | null): void {
    this.#engine = engine;
    this.onChange();
  }
}

/** The embedded engine has no grammars; SGLang has one unless it was started without. */
function toSupports({ engine, grammar_backend: grammar }: z.infer<typeof serverInfoSchema>): Engine['supports'] {
  const isSglang = engine === undefined;
  return { jsonSchema: isSglang && typeof grammar === 'string' && grammar !== 'none', topLogprobs: true };
}
