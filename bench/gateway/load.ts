import { Agent, request } from 'node:http';

/** One HTTP call's outcome. */
export interface Reply {
  readonly text: string;
  /** ms from the request to the first byte of the body, and to its end */
  readonly firstMs: number;
  readonly totalMs: number;
}

/** Sends JSON over kept connections; rejects on every status but 2xx. */
export class Caller {
  readonly #agent: Agent;

  constructor(connections: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  call(method: 'GET' | 'POST', url: string, key: string, body?: unknown): Promise<Reply> {
    const startedAt = performance.now();
    return new Promise((resolve, reject) => {
      const outgoing = request(url, {
        method,
        agent: this.#agent,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
      });
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        let text = '';
        let firstMs = 0;
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          if (text === '') firstMs = performance.now() - startedAt;
          text += chunk;
        });
        response.on('end', () => {
          const isGood = (response.statusCode ?? 500) < 300;
          if (isGood) resolve({ text, firstMs, totalMs: performance.now() - startedAt });
          else reject(new Error(`${method} ${url}: ${response.statusCode} ${text.slice(0, 300)}`));
        });
      });
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  post(url: string, key: string, body: unknown): Promise<Reply> {
    return this.call('POST', url, key, body);
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Milliseconds, but for `perSecond`. */
export interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly firstP50: number;
  readonly firstP99: number;
}

/**
 * Closed loops for the duration; the first tenth is warm-up and does not count.
 *
 * @param call - one request of a loop
 */
export async function measure(
  connections: number,
  seconds: number,
  call: (loop: number) => Promise<Reply>,
): Promise<Measured> {
  const replies: Reply[] = [];
  const warmUntil = performance.now() + seconds * 100;
  const endsAt = warmUntil + seconds * 1000;
  await Promise.all(
    Array.from({ length: connections }, async (_, loop) => {
      while (performance.now() < endsAt) {
        const isWarm = performance.now() >= warmUntil;
        const reply = await call(loop);
        if (isWarm) replies.push(reply);
      }
    }),
  );
  const elapsed = (performance.now() - warmUntil) / 1000;
  const totals = replies.map((reply) => reply.totalMs);
  const firsts = replies.map((reply) => reply.firstMs);
  return {
    perSecond: replies.length / elapsed,
    p50: quantile(totals, 0.5),
    p99: quantile(totals, 0.99),
    firstP50: quantile(firsts, 0.5),
    firstP99: quantile(firsts, 0.99),
  };
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}
