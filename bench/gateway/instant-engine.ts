import type { ServerResponse } from 'node:http';
import { FakeSglang } from '../../src/gateway/backends/sglang/testing/fake-sglang';

/**
 * An engine that samples as fast as it can, or one token per `process.argv[2]` ms.
 *
 * Token k of an answer is due at k times the pause after its beginning, as on an accelerator that steps at its own pace.
 * Pauses one after the other would add up what each is late by, and that hangs on who asks: an error as large as what is
 * measured. Timers count whole milliseconds, so each answer begins a random part of one later. Without it, callers who
 * come back at once fall in step with the timers, and those who do not wait half a millisecond longer.
 */
const pauseMs = Number(process.argv[2] ?? 0);
const beginnings = new WeakMap<ServerResponse, number>();

function pace(index: number, response: ServerResponse): Promise<void> | undefined {
  if (pauseMs === 0) return undefined;
  const beganAt = beginnings.get(response) ?? performance.now() + Math.random();
  beginnings.set(response, beganAt);
  const leftMs = beganAt + (index + 1) * pauseMs - performance.now();
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, Math.ceil(leftMs))));
}

void FakeSglang.start({ beforeToken: pace }).then((engine) =>
  process.stdout.write(`${JSON.stringify({ url: engine.url })}\n`),
);
