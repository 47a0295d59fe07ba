import { describe, expect, it } from 'vitest';
import { readTrajectoryPlace, writeTrajectoryPlace } from './trajectory-place';

describe('readTrajectoryPlace', () => {
  it.each([
    ['a source alone', { fileId: 'live' }],
    ['a version', { fileId: 'f 1', version: 12 }],
    ['the unknown version', { fileId: 'f', version: -1 }],
    ['a group whose id has signs of its own', { fileId: 'f', groupId: 'a&b=c/1' }],
    ['a range of rewards', { fileId: 'f', rewards: [-0.5, 1e-7, false] as const }],
    ['the bad lines of a source', { fileId: 'f', badLines: true as const }],
    ['the last range of rewards', { fileId: 'f', rewards: [0.25, 1, true] as const }],
  ])('reads back %s', (_what, place) => {
    expect(readTrajectoryPlace(writeTrajectoryPlace(place))).toEqual(place);
  });

  it.each([
    ['no place', null],
    ['a place of another screen', 'receipts'],
  ])('says no to %s', (_what, place) => {
    expect(readTrajectoryPlace(place)).toBeNull();
  });

  it('leaves out parts that are not what they should be', () => {
    expect(readTrajectoryPlace('file=f&version=six&rewards=[1,2]')).toEqual({ fileId: 'f' });
  });
});
