/** Structured log: an event name, then ids and durations in ms; never prompt or completion text above `debug`. */
export interface Logger {
  log(level: 'debug' | 'info' | 'warn' | 'error', event: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Drops everything; for tests. */
export const silentLogger: Logger = { log: () => undefined };

/** One JSON object per line on stderr, so that stdout stays free for programs that speak a protocol there. */
export function createStderrLogger(now: () => number): Logger {
  return {
    log: (level, event, fields) => {
      if (level === 'debug') return;
      process.stderr.write(`${JSON.stringify({ at: new Date(now()).toISOString(), level, event, ...fields })}\n`);
    },
  };
}

/** Text of an unknown error, for logs and error bodies. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
