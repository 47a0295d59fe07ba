import { describe, expect, it } from 'vitest';
import { Cancellation, type CancelSignal } from './cancellation';
import { systemClock } from './clock';

/** What both do must be the same. */
const KINDS: [name: string, make: () => { readonly signal: CancelSignal; readonly abort: () => void }][] = [
  [
    'Cancellation',
    () => {
      const cancellation = new Cancellation();
      return { signal: cancellation, abort: () => cancellation.abort() };
    },
  ],
  [
    'AbortController',
    () => {
      const controller = new AbortController();
      return { signal: controller.signal, abort: () => controller.abort() };
    },
  ],
];

describe.each(KINDS)('%s', (_name, make) => {
  it('tells each listener once, in order, and knows it', () => {
    const { signal, abort } = make();
    const told: string[] = [];
    const first = (): void => void told.push(`first ${signal.aborted}`);
    signal.addEventListener('abort', first, { once: true });
    signal.addEventListener('abort', first, { once: true });
    signal.addEventListener('abort', () => told.push('second'), { once: true });
    expect(signal.aborted).toBe(false);
    abort();
    abort();
    expect(told).toEqual(['first true', 'second']);
  });

  it('does not tell who has left, nor who comes too late', () => {
    const { signal, abort } = make();
    const told: string[] = [];
    const leaver = (): void => void told.push('leaver');
    signal.addEventListener('abort', leaver);
    signal.removeEventListener('abort', leaver);
    abort();
    signal.addEventListener('abort', () => told.push('late'));
    expect(told).toEqual([]);
  });

  it('wakes a sleeper', async () => {
    const { signal, abort } = make();
    const asleep = systemClock.sleep(60_000, signal);
    abort();
    await asleep;
    await systemClock.sleep(60_000, signal);
    expect(signal.aborted).toBe(true);
  });
});
