import type { Result } from '../../shared/lib/result';
import { type GatewayEvent, gatewayEventSchema } from '../../shared/wire/events';
import type { GatewayProblem } from './gateway-problem';
import { readServerSentEvents } from './sse-parser';

export interface EventStreamPorts {
  readonly connect: (signal: AbortSignal) => Promise<Result<Response, GatewayProblem>>;
  readonly onEvent: (event: GatewayEvent) => void;
  /** after every (re)connection: whatever happened meanwhile was missed, so everything must be read again */
  readonly onOpen: () => void;
  readonly onClose: () => void;
  /** resolves after a pause, or at once when the signal aborts */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

const firstPauseMs = 250;
const longestPauseMs = 2000;

/** Reads `/rl/events` for as long as the signal lives, reconnecting with growing pauses. */
export async function runEventStream(ports: EventStreamPorts, signal: AbortSignal): Promise<void> {
  let pauseMs = firstPauseMs;
  while (!signal.aborted) {
    const opened = await ports.connect(signal);
    if (opened.ok && opened.value.body !== null) {
      pauseMs = firstPauseMs;
      ports.onOpen();
      await readUntilClosed(opened.value.body, ports.onEvent);
      if (!signal.aborted) ports.onClose();
    }
    if (signal.aborted) return;
    await ports.pause(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

async function readUntilClosed(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: GatewayEvent) => void,
): Promise<void> {
  try {
    for await (const { data } of readServerSentEvents(body)) {
      const parsed = gatewayEventSchema.safeParse(parseJson(data));
      // An event of a newer gateway is not an error: it is only a hint to read again.
      if (parsed.success) onEvent(parsed.data);
    }
  } catch {
    // A cut connection is the normal end of this stream; the loop above reconnects.
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function pauseFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}
