import { describe, expect, it } from 'vitest';
import { type AnswerEvidence, findEvidenceProblem } from './provenance';

const sound: AnswerEvidence = {
  promptTokenIds: [1, 2],
  tokenIds: [3, 4],
  logprobs: [-0.5, 0],
  versions: [0, 1],
  vocabularySize: 10,
  newestVersion: 1,
  sentText: 'ab',
  decodedText: 'ab',
  stopString: null,
};

describe('findEvidenceProblem', () => {
  it.each<[string, Partial<AnswerEvidence>]>([
    ['two tokens of two versions', {}],
    ['a log-prob that rounding lifted over 0', { logprobs: [-0.5, 0.0005] }],
    ['a very unlikely token', { logprobs: [-1000, -0.1] }],
    ['the last id of the vocabulary', { tokenIds: [9, 9] }],
    ['an answer without text', { tokenIds: [3], logprobs: [-1], versions: [0], sentText: '', decodedText: '' }],
    ['text cut before a stop string', { sentText: 'a', decodedText: 'abc', stopString: 'b' }],
    ['text cut before the first of two equal stop strings', { sentText: 'a', decodedText: 'abab', stopString: 'b' }],
  ])('finds nothing wrong with %s', (_reason, part) => {
    expect(findEvidenceProblem({ ...sound, ...part })).toBeNull();
  });

  it.each<[string, Partial<AnswerEvidence>, RegExp]>([
    ['nothing sampled', { tokenIds: [], logprobs: [], versions: [] }, /nothing/i],
    ['a log-prob too few', { logprobs: [-1] }, /2 token ids, 1 log-probs and 2 versions/],
    ['a version too many', { versions: [0, 0, 0] }, /3 versions/],
    ['an id behind the vocabulary', { tokenIds: [3, 10] }, /Token 10 /],
    ['a negative id', { tokenIds: [-1, 3] }, /Token -1 /],
    ['half an id', { tokenIds: [3, 1.5] }, /Token 1.5 /],
    ['a prompt id behind the vocabulary', { promptTokenIds: [11] }, /Token 11 /],
    ['a positive log-prob', { logprobs: [-1, 0.1] }, /Token 1 .* 0\.1/],
    ['a log-prob that is no number', { logprobs: [Number.NaN, -1] }, /Token 0 .* NaN/],
    ['an infinite log-prob', { logprobs: [Number.NEGATIVE_INFINITY, -1] }, /-Infinity/],
    ['the lowest float', { logprobs: [-3.4e38, -1] }, /log-prob/],
    ['a version before the first', { versions: [-1, 0] }, /weight version -1; known are 0 to 1/],
    ['a version nobody has made', { versions: [1, 2] }, /Token 1 .* weight version 2/],
    ['half a version', { versions: [0.5, 1] }, /weight version 0.5/],
    ['other text', { sentText: 'aX' }, /do not spell/],
    ['text left out', { sentText: 'a' }, /do not spell/],
    ['a stop string that is not there', { sentText: 'ab', stopString: 'X' }, /"X"/],
    ['text sent behind the stop string', { sentText: 'ab', decodedText: 'ab', stopString: 'b' }, /do not spell/],
  ])('names %s', (_reason, part, expected) => {
    expect(findEvidenceProblem({ ...sound, ...part })).toMatch(expected);
  });
});
