/** Plain HTTP against any engine that speaks SGLang's API; deliberately shares no code with an engine or a driver. */
export class EngineClient {
  readonly url: string;
  readonly #apiKey: string | null;

  constructor(url: string, apiKey: string | null) {
    this.url = url;
    this.#apiKey = apiKey;
  }

  get(path: string): Promise<Response> {
    return fetch(this.url + path, { headers: this.#headers() });
  }

  post(path: string, body: unknown, signal?: AbortSignal): Promise<Response> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return fetch(this.url + path, { method: 'POST', headers: this.#headers(), body: text, signal: signal ?? null });
  }

  async json(path: string, body?: unknown): Promise<Json> {
    const response = await (body === undefined ? this.get(path) : this.post(path, body));
    return asJson(await response.json());
  }

  /** A whole answer; throws when the engine refuses. */
  async generate(request: GenerateBody): Promise<Answer> {
    const response = await this.post('/generate', { return_logprob: true, stream: false, ...request });
    if (response.status !== 200) throw new Error(`generate answered ${response.status}: ${await response.text()}`);
    return readAnswer([asJson(await response.json())]);
  }

  /** A streamed answer; `onEvent` sees each event as it comes. */
  async stream(
    request: GenerateBody,
    onEvent: (event: Json) => void = () => undefined,
    signal?: AbortSignal,
  ): Promise<Answer> {
    const response = await this.post('/generate', { return_logprob: true, stream: true, ...request }, signal);
    if (response.status !== 200 || response.body === null) throw new Error(`stream answered ${response.status}`);
    const events: Json[] = [];
    let isDone = false;
    let text = '';
    // Node's streams can be iterated; the web platform's types do not know it yet.
    const chunks = response.body.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>;
    for await (const chunk of chunks) {
      text += chunk;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        if (line === 'data: [DONE]') isDone = true;
        else {
          events.push(asJson(JSON.parse(line.replace(/^data: /, ''))));
          onEvent(events[events.length - 1] ?? {});
        }
      }
    }
    if (!isDone) throw new Error('the stream ended without [DONE]');
    return readAnswer(events);
  }

  async running(): Promise<number> {
    const { loads } = await this.json('/v1/loads?include=core');
    const [load] = loads as { num_running_reqs: number; num_waiting_reqs: number }[];
    return (load?.num_running_reqs ?? 0) + (load?.num_waiting_reqs ?? 0);
  }

  #headers(): Record<string, string> {
    const auth: Record<string, string> = this.#apiKey === null ? {} : { authorization: `Bearer ${this.#apiKey}` };
    return { 'content-type': 'application/json', ...auth };
  }
}

export type Json = Record<string, unknown>;

export interface GenerateBody {
  readonly rid?: string;
  readonly input_ids: readonly number[];
  readonly sampling_params: Json;
  readonly [extra: string]: unknown;
}

export interface Answer {
  readonly text: string;
  readonly ids: number[];
  readonly logprobs: number[];
  readonly finish: {
    readonly type: string;
    readonly matched?: unknown;
    readonly length?: number;
    readonly status_code?: unknown;
  };
  readonly version: unknown;
  readonly versions: readonly { readonly version: string; readonly start: number; readonly end: number }[];
  readonly events: number;
  readonly meta: Json;
}

/** Joins the events of a stream (or the one whole reply) and checks what must hold of every one of them. */
function readAnswer(events: readonly Json[]): Answer {
  const ids: number[] = [];
  const logprobs: number[] = [];
  let text = '';
  for (const event of events) {
    const meta = asJson(event.meta_info);
    const tuples = meta.output_token_logprobs as [number, number, unknown][];
    const eventIds = event.output_ids as number[];
    if (JSON.stringify(tuples.map(([, id]) => id)) !== JSON.stringify(eventIds))
      throw new Error('ids and log-probs are not aligned');
    ids.push(...eventIds);
    logprobs.push(...tuples.map(([logprob]) => logprob));
    text += String(event.text);
    if (meta.completion_tokens !== ids.length)
      throw new Error(`completion_tokens ${meta.completion_tokens}, ${ids.length} ids so far`);
  }
  const meta = asJson(events[events.length - 1]?.meta_info);
  if (logprobs.some((logprob) => !Number.isFinite(logprob) || logprob > 1e-6))
    throw new Error('a log-prob is not finite or positive');
  return {
    text,
    ids,
    logprobs,
    finish: meta.finish_reason as Answer['finish'],
    version: meta.weight_version,
    versions: (meta.weight_versions ?? []) as Answer['versions'],
    events: events.length,
    meta,
  };
}

function asJson(value: unknown): Json {
  if (typeof value !== 'object' || value === null)
    throw new Error(`expected a JSON object, got ${JSON.stringify(value)}`);
  return value as Json;
}
