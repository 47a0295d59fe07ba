import { describe, expect, it } from 'vitest';
import { findAlarms } from './alarms';

type Values = Readonly<Record<string, number | null>>;
const batches = (...values: readonly Values[]) =>
  values.map((each, index) => ({
    batch_id: index + 1,
    version: index + 1,
    status: 'trained',
    at: '2026-11-29T10:00:00Z',
    values: { ...each },
  }));

describe('findAlarms', () => {
  it.each([
    ['KL to the sampling policy above 0.1', [{ 'kl/behave_k3': 0.11 }], ['behave-kl']],
    ['KL to the sampling policy at the limit', [{ 'kl/behave_k3': 0.1 }], []],
    ['effective sample share below one half', [{ 'ratio/ess': 0.49 }], ['ess']],
    ['clipped and filtered together', [{ 'clip/clip_ratio': 0.2, 'clip/rs_filtered_fraction': 0.11 }], ['clipped']],
    ['clipped alone where filtering is not reported', [{ 'clip/clip_ratio': 0.29 }], []],
    ['KL to the reference above 0.5', [{ 'kl/ref': 0.51 }], ['reference-kl']],
    ['entropy halved', [{ 'policy/entropy': 2 }, { 'policy/entropy': 0.9 }], ['entropy-halved']],
    ['entropy a little lower', [{ 'policy/entropy': 2 }, { 'policy/entropy': 1.1 }], []],
    [
      'a first batch has nothing to compare with',
      [{ 'policy/entropy': 0.01, 'tokens/trainable': 9, 'data/rows': 1 }],
      [],
    ],
    [
      'entropy was high more than ten batches ago',
      [{ 'policy/entropy': 9 }, ...Array.from({ length: 11 }, () => ({ 'policy/entropy': 2 }))],
      [],
    ],
    [
      'answers twice as long',
      [
        { 'tokens/trainable': 100, 'data/rows': 10 },
        { 'tokens/trainable': 400, 'data/rows': 20 },
      ],
      ['length-doubled'],
    ],
    ['too many cut answers', [{ 'data/truncated_fraction': 0.25 }], ['truncated']],
    [
      'three batches of one rating',
      Array.from({ length: 3 }, () => ({ 'reward/min': 1, 'reward/max': 1 })),
      ['ratings-equal'],
    ],
    ['two batches of one rating', Array.from({ length: 2 }, () => ({ 'reward/min': 1, 'reward/max': 1 })), []],
    [
      'each batch all equal, but not to one another',
      [0, 1, 0].map((reward) => ({ 'reward/min': reward, 'reward/max': reward })),
      [],
    ],
    ['staleness beyond what is masked', [{ 'version/staleness_p95': 5 }], ['staleness']],
    ['nothing reported', [{}], []],
    ['reported, but not finite', [{ 'kl/ref': null, 'ratio/ess': null }], []],
    ['an old alarm that has gone', [{ 'kl/ref': 0.9 }, { 'kl/ref': 0.1 }], []],
  ])('%s', (_reason, values, expected) => {
    expect(findAlarms(batches(...(values as readonly Values[]))).map(({ kind }) => kind)).toEqual(expected);
  });

  it('names the batch, the value and what it is held against', () => {
    expect(findAlarms(batches({}, { 'kl/ref': 0.7 }))).toEqual([
      { kind: 'reference-kl', batchId: 2, value: 0.7, limit: 0.5 },
    ]);
  });
});
