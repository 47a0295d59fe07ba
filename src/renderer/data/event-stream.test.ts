import { describe, expect, it } from 'vitest';
import { err, ok, type Result } from '../../shared/lib/result';
import type { GatewayEvent } from '../../shared/wire/events';
import { runEventStream } from './event-stream';
import type { GatewayProblem } from './gateway-problem';

const away: GatewayProblem = { kind: 'not-ready', message: 'starting' };
const frame = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

/** Runs the stream over a list of connections and stops it when the list is used up. */
async function run(connections: readonly (string | GatewayProblem)[]) {
  const abort = new AbortController();
  const log: string[] = [];
  const pauses: number[] = [];
  const left = [...connections];
  await runEventStream(
    {
      connect: (): Promise<Result<Response, GatewayProblem>> => {
        const next = left.shift();
        if (next === undefined) abort.abort();
        return Promise.resolve(typeof next === 'string' ? ok(new Response(next)) : err(next ?? away));
      },
      onEvent: (event: GatewayEvent) => log.push(event.kind),
      onOpen: () => log.push('open'),
      onClose: () => log.push('close'),
      pause: (milliseconds) => {
        pauses.push(milliseconds);
        return Promise.resolve();
      },
    },
    abort.signal,
  );
  return { log, pauses };
}

describe('runEventStream', () => {
  it('reads again after every connection, because what happened in between was missed', async () => {
    const { log } = await run([frame({ kind: 'reward-set' }), frame({ kind: 'batch-form', batch_id: 1 })]);
    expect(log).toEqual(['open', 'reward-set', 'close', 'open', 'batch-form', 'close']);
  });

  it('waits longer after each failure, up to a limit, and short again after a success', async () => {
    const { pauses } = await run([away, away, away, away, away, away, away, frame({ kind: 'reward-set' }), away]);
    expect(pauses).toEqual([250, 500, 1000, 2000, 2000, 2000, 2000, 250, 500]);
  });

  it('ignores frames it cannot read and goes on', async () => {
    const { log } = await run([
      `data: {broken\n\n${frame({ kind: 'of-a-newer-gateway' })}${frame({ kind: 'session-end' })}`,
    ]);
    expect(log).toEqual(['open', 'session-end', 'close']);
  });
});
