import { describe, expect, it } from 'vitest';
import type { TrajectoryRecord } from '../../../shared/wire/trajectory-record';
import { badRowOf, rowOf } from '../../testing/fake-dumps';
import { markMatches } from './mark-matches';
import { groupKey, outputTokens, versionLabel } from './row-fields';
import type { Mark } from './store';

const recordOf = (part: Partial<TrajectoryRecord>): TrajectoryRecord => rowOf(0, part).record!;

describe('versionLabel', () => {
  it.each([
    ['one version', { head_version: 6, tail_version: 6 }, 'v6'],
    ['two versions', { head_version: 5, tail_version: 6 }, 'v5–6'],
    [
      'an old dump: the minimum over prompt tokens',
      { head_version: -1, tail_version: 6, version_rle: undefined },
      null,
    ],
    ['nothing known', { head_version: -1, tail_version: -1 }, null],
    ['part of the tokens not of the policy', { head_version: -1, tail_version: 6 }, 'v6'],
  ])('%s', (_reason, part, expected) => {
    expect(versionLabel(recordOf(part))).toBe(expected);
  });
});

describe('outputTokens', () => {
  it.each([
    ['the runs count', { seqlen: 100 }, 5],
    [
      'segments count where there are no runs',
      { version_rle: undefined, segments: [{ role: 'gen', len: 4, text: '' }] },
      4,
    ],
    ['a plain old row', { version_rle: undefined, seqlen: 61, prompt_len: 38 }, 23],
    ['a damaged row never counts below zero', { version_rle: undefined, seqlen: 3, prompt_len: 38 }, 0],
  ] as const)('%s', (_reason, part, expected) => {
    expect(outputTokens(recordOf(part as Partial<TrajectoryRecord>))).toBe(expected);
  });
});

describe('groupKey', () => {
  it('is our group id, and without one the task of the file', () => {
    expect(groupKey(rowOf(0, { group_id: 'g-1' }))).toBe('g-1');
    expect(groupKey(rowOf(0))).toBe(groupKey(rowOf(1)));
    expect(groupKey(rowOf(0))).not.toBe(groupKey(rowOf(0, { task_id: 43 })));
    expect(groupKey(badRowOf(0))).toBeNull();
  });
});

describe('markMatches', () => {
  it.each<[string, Mark, Partial<TrajectoryRecord>, boolean]>([
    ['the head version, as the statistics count', { kind: 'version', version: 5 }, {}, true],
    ['not the tail version', { kind: 'version', version: 6 }, {}, false],
    ['the group', { kind: 'group', groupId: 'g' }, { group_id: 'g' }, true],
    ['another group', { kind: 'group', groupId: 'g' }, { group_id: 'h' }, false],
    ['a reward at the lower edge', { kind: 'rewards', from: 0.5, to: 1, closed: false }, { reward: 0.5 }, true],
    ['a reward at an open upper edge', { kind: 'rewards', from: 0, to: 0.5, closed: false }, { reward: 0.5 }, false],
    ['a reward at the closed upper edge', { kind: 'rewards', from: 0, to: 0.5, closed: true }, { reward: 0.5 }, true],
    ['no reward at all', { kind: 'rewards', from: -1, to: 1, closed: true }, { reward: null }, false],
  ])('%s', (_reason, mark, part, expected) => {
    expect(markMatches(mark, rowOf(0, part))).toBe(expected);
  });

  it('never matches a bad line', () => {
    expect(markMatches({ kind: 'version', version: -1 }, badRowOf(0))).toBe(false);
  });
});
