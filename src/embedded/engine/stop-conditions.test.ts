import { describe, expect, it } from 'vitest';
import { findStop, type StopState } from './stop-conditions';

const GOING: StopState = {
  outputCount: 1,
  maxNewTokens: 5,
  lastTokenId: 7,
  stopTokenIds: new Set([9]),
  matchedString: null,
};

describe('findStop', () => {
  it.each<[string, Partial<StopState>, unknown]>([
    ['goes on', {}, null],
    ['ends at the length', { outputCount: 5 }, { type: 'length', length: 5 }],
    ['ends at a stop string', { matchedString: 'x' }, { type: 'stop', matched: 'x' }],
    ['ends at a stop token', { lastTokenId: 9 }, { type: 'stop', matched: 9 }],
    ['prefers length to both', { outputCount: 5, matchedString: 'x', lastTokenId: 9 }, { type: 'length', length: 5 }],
    ['prefers the string to the token', { matchedString: 'x', lastTokenId: 9 }, { type: 'stop', matched: 'x' }],
  ])('%s', (_name, change, expected) => {
    expect(findStop({ ...GOING, ...change })).toEqual(expected);
  });
});
