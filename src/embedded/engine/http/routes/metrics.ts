import { sendText } from '../respond';
import type { Route, RouteContext } from '../route';
import { tokenCapacity } from './info';

export const metricsRoute: Route = { methods: ['GET'], paths: ['/metrics'], handle: metrics };

type Metric = readonly [name: string, kind: 'gauge' | 'counter', help: string, value: number];

/** Prometheus text under SGLang's names, so one dashboard reads either engine. */
function metrics({ engine, identity, response }: RouteContext): void {
  const { scheduler, totals } = engine;
  const used = scheduler.running.reduce((sum, sequence) => sum + sequence.cached, 0);
  const all: readonly Metric[] = [
    ['num_running_reqs', 'gauge', 'Requests that hold a row of the batch', scheduler.running.length],
    ['num_queue_reqs', 'gauge', 'Requests that wait for a row', scheduler.waiting.length],
    ['num_used_tokens', 'gauge', 'Cached token positions', used],
    ['token_usage', 'gauge', 'Share of the token capacity in use', used / tokenCapacity(engine)],
    ['gen_throughput', 'gauge', 'Tokens per second lately', engine.throughput()],
    ['max_total_num_tokens', 'gauge', 'Token capacity', tokenCapacity(engine)],
    ['num_paused_reqs', 'gauge', 'Requests frozen by a pause', scheduler.isFrozen ? scheduler.running.length : 0],
    ['prompt_tokens_total', 'counter', 'Prompt tokens taken in', totals.promptTokens],
    ['generation_tokens_total', 'counter', 'Tokens sampled', scheduler.sampledTokens],
    ['cached_tokens_total', 'counter', 'Prompt tokens served from the prompt cache', totals.reusedTokens],
    ['num_requests_total', 'counter', 'Requests taken in', totals.requests],
    ['num_aborted_requests_total', 'counter', 'Requests ended by an abort', totals.aborted],
    ['num_retracted_requests_total', 'counter', 'Times a running request lost its row', scheduler.retractions],
  ];
  const label = `{model_name="${identity.servedModelName.replace(/["\\\n]/g, '_')}"}`;
  const lines = all.flatMap(([name, kind, help, value]) => [
    `# HELP sglang:${name} ${help}`,
    `# TYPE sglang:${name} ${kind}`,
    `sglang:${name}${label} ${value}`,
  ]);
  sendText(response, 200, `${lines.join('\n')}\n`);
}
