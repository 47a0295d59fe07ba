import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Crash, decideRestart, type RestartPolicy } from './restart-policy';

const policy: RestartPolicy = {
  maxRestarts: 3,
  windowMs: 60_000,
  delaysMs: [1000, 2000, 4000],
  noRestartExitCodes: [10, 12],
};

const at = (...seconds: number[]): Crash[] => seconds.map((second) => ({ atMs: second * 1000, code: 1 }));

describe('decideRestart', () => {
  it.each([
    ['the first crash waits the first delay', at(5), { kind: 'restart', delayMs: 1000, attempt: 1 }],
    ['the second waits longer', at(5, 8), { kind: 'restart', delayMs: 2000, attempt: 2 }],
    ['the third waits longest', at(5, 8, 12), { kind: 'restart', delayMs: 4000, attempt: 3 }],
    ['the fourth within the window gives up', at(5, 8, 12, 20), { kind: 'give-up', reason: 'too-many' }],
    ['crashes before the window are forgotten', at(5, 8, 12, 100), { kind: 'restart', delayMs: 1000, attempt: 1 }],
    ['exactly one window ago is forgotten', at(5, 65), { kind: 'restart', delayMs: 1000, attempt: 1 }],
    ['a hopeless exit code', [{ atMs: 0, code: 12 }], { kind: 'give-up', reason: 'exit-code' }],
    ['a signal is worth a restart', [{ atMs: 0, code: null }], { kind: 'restart', delayMs: 1000, attempt: 1 }],
    [
      'exit 0 without being asked is a crash too',
      [{ atMs: 0, code: 0 }],
      { kind: 'restart', delayMs: 1000, attempt: 1 },
    ],
  ] as const)('%s', (_reason, crashes, decision) => {
    expect(decideRestart(policy, crashes)).toEqual(decision);
  });

  it('repeats the last delay when there are more restarts than delays', () => {
    const short = { ...policy, delaysMs: [500] };
    expect(decideRestart(short, at(1, 2, 3))).toEqual({ kind: 'restart', delayMs: 500, attempt: 3 });
  });

  it('never allows more than maxRestarts restarts within one window, whatever the crash times', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 40 }), (gaps) => {
        const crashes: Crash[] = [];
        const restartedAt: number[] = [];
        let now = 0;
        for (const gap of gaps) {
          now += gap;
          crashes.push({ atMs: now, code: 1 });
          if (decideRestart(policy, crashes).kind === 'give-up') break;
          restartedAt.push(now);
        }
        for (const time of restartedAt) {
          const within = restartedAt.filter((other) => other <= time && other > time - policy.windowMs);
          expect(within.length).toBeLessThanOrEqual(policy.maxRestarts);
        }
      }),
    );
  });
});

describe('a crash that time mends', () => {
  it('is tried again for ever, in the pace of the last delay', () => {
    const patient = { ...policy, patientExitCodes: [18] };
    const crashes = Array.from({ length: 50 }, (_, index) => ({ atMs: index, code: 18 }));
    const slowest = policy.delaysMs[policy.delaysMs.length - 1];
    expect(decideRestart(patient, crashes)).toEqual({ kind: 'restart', delayMs: slowest, attempt: 50 });
    expect(decideRestart(policy, crashes)).toEqual({ kind: 'give-up', reason: 'too-many' });
  });
});
