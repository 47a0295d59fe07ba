import { describe, expect, it } from 'vitest';
import type { Clock } from '../platform/clock';
import { Audience } from './audience';
import { Presence } from './presence';

/** A clock whose sleeps end when the test says so. */
function createClock() {
  const sleeping = new Set<() => void>();
  const clock: Clock = {
    now: () => 0,
    every: () => () => undefined,
    sleep: (_ms, signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          sleeping.delete(wake);
          resolve();
        };
        sleeping.add(wake);
        signal?.addEventListener('abort', wake, { once: true });
      }),
  };
  const elapse = async (): Promise<void> => {
    for (const wake of [...sleeping]) wake();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, elapse, sleeping };
}

function create(graceMs = 1000) {
  const { clock, elapse, sleeping } = createClock();
  const heard: string[] = [];
  const audience = new Audience(clock, graceMs, {
    onEmpty: () => heard.push('empty'),
    onGivenUp: () => heard.push('given up'),
  });
  const join = (stream: boolean): (() => void) => {
    const client = new Presence();
    audience.join({ client, stream });
    return () => client.leave();
  };
  return { audience, join, heard, elapse, sleeping };
}

describe('Audience', () => {
  it('gives an answer up at once when its last listener was streaming', () => {
    const { join, heard } = create();
    join(true)();
    expect(heard).toEqual(['empty', 'given up']);
  });

  it('waits for the grace when the last listener wanted it whole', async () => {
    const { join, heard, elapse } = create();
    join(false)();
    expect(heard).toEqual(['empty']);
    await elapse();
    expect(heard).toEqual(['empty', 'given up']);
  });

  it('goes on for a listener that comes back within the grace', async () => {
    const { audience, join, heard, elapse } = create();
    join(false)();
    const leave = join(false);
    await elapse();
    expect(heard).toEqual(['empty']);
    expect(audience.isEmpty).toBe(false);
    leave();
    await elapse();
    expect(heard).toEqual(['empty', 'empty', 'given up']);
  });

  it('goes on while anybody is left', () => {
    const { join, heard } = create();
    const leave = join(true);
    join(false);
    leave();
    expect(heard).toEqual([]);
  });

  it('has nothing to give up once the answer is complete, and no timer is left', async () => {
    const { audience, join, heard, elapse, sleeping } = create();
    join(false)();
    audience.end();
    await elapse();
    expect(heard).toEqual(['empty']);
    expect(sleeping.size).toBe(0);
    join(true)();
    expect(heard).toEqual(['empty', 'empty']);
  });

  it('counts a listener that was gone before it came', () => {
    const { audience, heard } = create();
    const gone = new Presence();
    gone.leave();
    audience.join({ client: gone, stream: true });
    expect(heard).toEqual(['empty', 'given up']);
  });
});
