import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** A value read when somebody scrapes; a null is left out. */
export interface GaugeReading {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number | null;
}

/** Seconds; a local engine answers in milliseconds, a queue in minutes. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** The numbers of one gateway in Prometheus' text format. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<'method' | 'route' | 'status'>;
  readonly #durations: Histogram<'route'>;

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Counter({
      name: 'plaudit_http_requests_total',
      help: 'Requests answered, by route pattern and status.',
      labelNames: ['method', 'route', 'status'],
      registers: [this.#registry],
    });
    this.#durations = new Histogram({
      name: 'plaudit_http_request_seconds',
      help: 'Seconds from a request to the head of its answer; a stream goes on after that.',
      labelNames: ['route'],
      buckets: DURATION_BUCKETS,
      registers: [this.#registry],
    });
  }

  /** @param route - the pattern, never the path: labels must stay few */
  countRequest(
    request: { readonly method: string; readonly route: string; readonly status: number },
    ms: number,
  ): void {
    this.#requests.inc({ method: request.method, route: request.route, status: String(request.status) });
    this.#durations.observe({ route: request.route }, ms / 1000);
  }

  /** Adds a gauge that is read at each scrape. */
  gauge(name: string, help: string, labelNames: readonly string[], read: () => readonly GaugeReading[]): void {
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const { labels, value } of read()) if (value !== null) this.set(labels, value);
      },
    });
  }

  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}
