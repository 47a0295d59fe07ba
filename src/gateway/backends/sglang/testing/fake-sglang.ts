import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server with SGLang's HTTP manners and no model: token p of any text is `tokenAt(p)`, so that resumption shows. */
export interface FakeSglangOptions {
  readonly style?: 'incremental' | 'cumulative';
  /** false: only the scalar `weight_version`, as older releases send */
  readonly hasVersionSpans?: boolean;
  readonly weightVersion?: string;
  readonly port?: number;
  /** called before each token; may wait, may break things */
  readonly beforeToken?: (index: number, response: ServerResponse, fake: FakeSglang) => Promise<void> | void;
  /** answers `/generate` itself when it returns true */
  readonly answer?: (request: GenerateBody, response: ServerResponse) => boolean;
  /** refuses the first n flushes, as an engine that is not idle yet */
  readonly busyFlushes?: number;
  readonly refuseWeights?: boolean;
  /** more fields of `/server_info` */
  readonly serverInfo?: Readonly<Record<string, unknown>>;
}

export interface GenerateBody {
  readonly rid: string;
  readonly input_ids: number[];
  readonly top_logprobs_num?: number;
  readonly sampling_params: { readonly max_new_tokens: number; readonly sampling_seed?: number };
}

/** Token at absolute position p: depends on the position alone. */
export const tokenAt = (position: number): number => 97 + (position % 26);

export class FakeSglang {
  readonly server: Server;
  /** paths asked, in order, without those that only look */
  readonly asked: string[] = [];
  readonly generateBodies: GenerateBody[] = [];
  weightVersion: string;
  isPaused = false;
  #busyFlushes: number;
  readonly #aborted = new Set<string>();
  readonly #running = new Map<string, Promise<void>>();
  #wake: (() => void)[] = [];

  private constructor(private readonly options: FakeSglangOptions) {
    this.weightVersion = options.weightVersion ?? '0';
    this.#busyFlushes = options.busyFlushes ?? 0;
    this.server = createServer((request, response) => void this.#handle(request, response));
  }

  static async start(options: FakeSglangOptions = {}): Promise<FakeSglang> {
    const fake = new FakeSglang(options);
    await new Promise<void>((resolve) => fake.server.listen(options.port ?? 0, '127.0.0.1', resolve));
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`; // a TCP server has such an address
  }

  /** As a crash: every connection is reset. */
  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0] ?? '';
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const body = text === '' ? {} : JSON.parse(text);
    if (!['/model_info', '/server_info'].includes(path)) this.asked.push(path);
    const json = (value: unknown, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    switch (path) {
      case '/model_info':
        return json({ model_path: '/m', weight_version: this.weightVersion });
      case '/server_info':
        return json({ context_length: 128, ...this.options.serverInfo });
      case '/generate':
        return this.#generate(body as GenerateBody, response);
      case '/abort_request':
        for (const rid of body.abort_all === true ? this.#running.keys() : [body.rid as string]) this.#aborted.add(rid);
        response.writeHead(200).end();
        return;
      case '/pause_generation':
        this.isPaused = true;
        for (const rid of this.#running.keys()) this.#aborted.add(rid);
        await Promise.all(this.#running.values());
        return json({ message: 'paused', status: 'ok' });
      case '/continue_generation':
        this.isPaused = false;
        for (const wake of this.#wake.splice(0)) wake();
        return json({ message: 'resumed', status: 'ok' });
      case '/flush_cache':
        if (this.#busyFlushes > 0) {
          this.#busyFlushes -= 1;
          response.writeHead(400).end('not flushed');
        } else response.writeHead(200).end('flushed');
        return;
      case '/update_weights_from_disk':
        if (this.options.refuseWeights === true) return json({ success: false, message: 'tensor is absent' }, 400);
        this.weightVersion = String(body.weight_version);
        return json({ success: true, message: 'loaded' });
      default:
        return json({ error: { message: 'not supported' } }, 404);
    }
  }

  async #generate(body: GenerateBody, response: ServerResponse): Promise<void> {
    this.generateBodies.push(body);
    if (this.options.answer?.(body, response) === true) return;
    if (this.isPaused) await new Promise<void>((resolve) => this.#wake.push(resolve));
    let done: () => void = () => undefined;
    this.#running.set(body.rid, new Promise((resolve) => (done = resolve)));
    try {
      await this.#stream(body, response);
    } finally {
      this.#running.delete(body.rid);
      done();
    }
  }

  async #stream(body: GenerateBody, response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const want = body.sampling_params.max_new_tokens;
    const ids: number[] = [];
    const version = this.weightVersion;
    for (;;) {
      const isAborted = this.#aborted.has(body.rid);
      const reason = isAborted
        ? { type: 'abort', message: 'Aborted' }
        : ids.length === want
          ? { type: 'length', length: want }
          : null;
      if (reason !== null) {
        this.#send(response, body, { ids, sent: ids.length, version, reason });
        response.end('data: [DONE]\n\n');
        return;
      }
      await this.options.beforeToken?.(ids.length, response, this);
      if (response.destroyed) return;
      ids.push(tokenAt(body.input_ids.length + ids.length));
      this.#send(response, body, { ids, sent: ids.length - 1, version, reason: null });
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  #send(
    response: ServerResponse,
    { rid, top_logprobs_num: alternatives }: GenerateBody,
    { ids, sent, version, reason }: { ids: readonly number[]; sent: number; version: string; reason: unknown },
  ): void {
    const shown = this.options.style === 'cumulative' ? ids : ids.slice(sent);
    const meta = {
      id: rid,
      finish_reason: reason,
      completion_tokens: ids.length,
      weight_version: version,
      ...(this.options.hasVersionSpans === false ? {} : { weight_versions: [{ version, start: 0, end: ids.length }] }),
      output_token_logprobs: shown.map((id) => [-0.5, id, null]),
      ...(alternatives === undefined
        ? {}
        : {
            output_top_logprobs: shown.map((id) =>
              Array.from({ length: alternatives }, (_, rank) => [-0.5 - rank, id + rank, null]),
            ),
          }),
    };
    response.write(`data: ${JSON.stringify({ text: '', output_ids: shown, meta_info: meta })}\n\n`);
  }
}
