import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptedRows, type CapacityCounts, retryAfterSeconds, sessionCapacity } from './capacity';

const counts = (
  [maxOpen, batchSize, maxHeadOffpolicyness]: readonly [number, number, number],
  [batchId, accepted, running]: readonly [number, number, number],
): CapacityCounts => ({ maxOpen, batchSize, maxHeadOffpolicyness, batchId, accepted, running });

describe('sessionCapacity', () => {
  // [limits: max open, B, η], [state: k, accepted, running], expected. Each case is one of AReaL's
  // test_staleness_manager; where that one calls the counters, the state is what they have counted.
  it.each<[string, readonly [number, number, number], readonly [number, number, number], number]>([
    ['test_initialization', [10, 4, 2], [0, 0, 0], 10],
    ['test_initial_capacity_full', [10, 4, 2], [0, 0, 0], 10],
    ['test_initial_capacity_with_large_staleness', [100, 32, 10], [0, 0, 0], 100],
    ['test_concurrency_limit', [5, 2, 10], [0, 0, 3], 2],
    ['test_staleness_limit', [100, 4, 2], [0, 0, 0], 12],
    ['test_staleness_increases_with_version: at 0', [1000, 4, 2], [0, 0, 0], 12],
    ['test_staleness_increases_with_version: at 5', [1000, 4, 2], [5, 0, 0], 32],
    ['test_capacity_with_running_rollouts', [10, 4, 2], [0, 0, 3], 7],
    ['test_capacity_with_accepted_rollouts', [20, 4, 2], [0, 5, 0], 7],
    ['test_capacity_at_limit', [5, 2, 5], [0, 0, 5], 0],
    ['test_capacity_can_be_negative', [3, 2, 1], [0, 0, 10], -7],
    ['test_min_values_are_enforced', [0, 0, 0], [0, 0, 0], 1],
    ['test_submit_increments_counters', [10, 4, 2], [0, 0, 1], 9],
    ['test_accept_updates_counters', [10, 4, 2], [0, 1, 0], 10],
    ['test_reject_updates_counters', [10, 4, 2], [0, 0, 0], 10],
    ['test_multiple_rollouts_lifecycle', [10, 4, 2], [0, 3, 0], 9],
    ['test_zero_max_staleness: at 0', [100, 8, 0], [0, 0, 0], 8],
    ['test_zero_max_staleness: at 5', [100, 8, 0], [5, 0, 0], 48],
    ['test_very_large_version', [10000, 64, 10], [1_000_000, 0, 0], 10000],
    ['test_single_rollout_batch_size', [10, 1, 2], [0, 0, 0], 3],
    ['test_all_rollouts_rejected', [10, 4, 2], [0, 0, 0], 10],
    ['test_mixed_acceptance_rate', [20, 8, 3], [0, 15, 0], 17],
    ['test_typical_training_scenario: version 1', [32, 16, 2], [1, 14, 0], 32],
    ['test_typical_training_scenario: second batch runs', [32, 16, 2], [1, 14, 16], 16],
    ['test_burst_load_scenario: burst', [50, 32, 5], [0, 0, 100], -50],
    ['test_burst_load_scenario: processed', [50, 32, 5], [0, 80, 0], 50],
    ['test_slow_consumption_scenario', [100, 8, 3], [0, 30, 0], 2],
    ['test_parametrized_initialization [10-4-2]', [10, 4, 2], [0, 0, 0], 10],
    ['test_parametrized_initialization [100-32-5]', [100, 32, 5], [0, 0, 0], 100],
    ['test_parametrized_initialization [1-1-0]', [1, 1, 0], [0, 0, 0], 1],
    ['test_parametrized_initialization [1000-128-10]', [1000, 128, 10], [0, 0, 0], 1000],
    ['test_parametrized_initialization [50-16-3]', [50, 16, 3], [0, 0, 0], 50],
    ['test_parametrized_version_progression [0]', [1000, 32, 5], [0, 0, 0], 192],
    ['test_parametrized_version_progression [1]', [1000, 32, 5], [1, 0, 0], 224],
    ['test_parametrized_version_progression [10]', [1000, 32, 5], [10, 0, 0], 512],
    ['test_parametrized_version_progression [100]', [1000, 32, 5], [100, 0, 0], 1000],
    ['test_parametrized_version_progression [1000]', [1000, 32, 5], [1000, 0, 0], 1000],
    ['test_on_version_recovered [5]', [1000, 16, 2], [5, acceptedRows(5, 16, 0), 0], 48],
    ['test_on_version_recovered [10]', [1000, 16, 2], [10, acceptedRows(10, 16, 0), 0], 48],
    ['test_on_version_recovered [50]', [1000, 16, 2], [50, acceptedRows(50, 16, 0), 0], 48],
  ])('%s', (_case, limits, state, expected) => {
    expect(sessionCapacity(counts(limits, state))).toBe(expected);
  });

  it('depends on nothing but what waits and what runs, however many batches there were', () => {
    const small = fc.nat(1000);
    fc.assert(
      fc.property(small, small, fc.nat(1_000_000), fc.integer({ min: 1, max: 512 }), fc.nat(10), (w, r, k, b, eta) => {
        const after = sessionCapacity(counts([100_000, b, eta], [k, acceptedRows(k, b, w), r]));
        expect(after).toBe((eta + 1) * b - w - r);
      }),
    );
  });

  it('never lets more run and wait than η + 1 batches, in whatever order sessions start, end and train', () => {
    const step = fc.constantFrom('start', 'keep', 'drop', 'batch');
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), fc.integer({ min: 1, max: 6 }), fc.nat(3), (steps, b, eta) => {
        let [running, waiting, k] = [0, 0, 0];
        for (const kind of steps) {
          const room = sessionCapacity(counts([1000, b, eta], [k, acceptedRows(k, b, waiting), running]));
          if (kind === 'start' && room > 0) running += 1;
          if (kind !== 'start' && kind !== 'batch' && running > 0) {
            running -= 1;
            if (kind === 'keep') waiting += 1;
          }
          if (kind === 'batch' && waiting >= b) {
            waiting -= b;
            k += 1;
          }
          expect(running + waiting).toBeLessThanOrEqual((eta + 1) * b);
        }
      }),
    );
  });
});

describe('retryAfterSeconds', () => {
  it.each<[string, readonly number[], number]>([
    ['nothing is known', [], 5],
    ['one batch says nothing of a period', [9000], 5],
    ['the period', [0, 20_000], 20],
    ['the usual period, not the longest', [0, 10_000, 20_000, 500_000], 10],
    ['at least a second', [0, 3, 6], 1],
    ['at most a minute', [0, 3_600_000], 60],
    ['a clock that was set back is no period', [50_000, 10_000, 30_000], 20],
  ])('%s', (_reason, times, expected) => {
    expect(retryAfterSeconds(times)).toBe(expected);
  });
});
