import { describe, expect, it } from 'vitest';
import type { Answer, Block } from './answer';
import { joinTokens } from './answer-text';
import { draftKeys, restoreUnanswered, unconfirmedRatings } from './drafts';
import { planEnd } from './end-plan';
import { appendCalls, appendPiece } from './live-store';
import { provisionalAdvantage } from './provisional-advantage';
import { newTaskId } from './rate-store';
import { type PendingRating, readRating, writeRating } from './rating-store';
import { isPassing } from './sender';

const answer = (id: string, change: Partial<Answer> = {}): Answer => ({
  key: id,
  sessionId: `s-${id}`,
  interactionId: id,
  phase: 'finished',
  text: 'x',
  reasoning: null,
  toolCalls: [],
  runs: [],
  pieces: null,
  finishReason: 'stop',
  promptTokens: 1,
  completionTokens: 1,
  problem: null,
  reward: null,
  ratingState: 'unrated',
  batchId: null,
  trainedVersion: null,
  reason: null,
  untrainable: null,
  isReplaced: false,
  ...change,
});
const turn = (answers: readonly Answer[]) => ({ key: 't', messages: [], prompt: 'p', answers });
const chat = (answers: readonly Answer[], ended = false): Block => ({
  kind: 'chat',
  key: 's',
  sessionId: 's-a',
  ended,
  fate: null,
  turns: [turn(answers)],
});
const round = (answers: readonly Answer[]): Block => ({
  kind: 'side-by-side',
  key: 'g',
  groupId: 'g',
  ended: false,
  fate: null,
  turn: turn(answers),
});

describe('planEnd', () => {
  const a = answer('a');
  const both = { sessionIds: ['s-a', 's-b'], interactionIds: ['a', 'b'] };
  it.each([
    ['a chat ends with its rating', chat([a]), true, { sessionIds: ['s-a'], interactionIds: ['a'] }],
    ['a chat ended by hand goes on', chat([a]), false, null],
    ['an ended session is not ended again', chat([a], true), true, null],
    ['a session in which an answer still runs goes on', chat([a, answer('b', { phase: 'streaming' })]), true, null],
    ['a round waits for every unrated answer, whatever the setting', round([a, answer('b')]), false, both],
    [
      'a round needs no second word from a rated answer',
      round([a, answer('b', { reward: 1 })]),
      true,
      {
        ...both,
        interactionIds: ['a'],
      },
    ],
    ['a round with a running column goes on', round([a, answer('b', { phase: 'streaming' })]), true, null],
  ])('%s', (_name, block, setting, expected) => {
    expect(planEnd(block, a, setting)).toEqual(expected);
  });
});

describe('provisionalAdvantage', () => {
  const waiting = [1, 0.5, -1].map((reward, index) => ({
    interaction_id: `i${index}`,
    session_id: `s${index}`,
    reward,
  }));
  const known = {
    interactionId: 'i0',
    baseline: 'batch_loo' as const,
    batchSize: 16,
    waiting,
    waitingCount: 3,
    isSingleEpisode: () => true,
  };

  it('equals the trainer’s (r − mean)·S/(S − 1)', () => {
    const mean = (1 + 0.5 - 1) / 3;
    expect(provisionalAdvantage(known)?.advantage).toBeCloseTo((1 - mean) * (3 / 2), 12);
    expect(provisionalAdvantage(known)?.others).toBe(2);
  });

  it.each([
    ['another baseline', { baseline: 'grpo' as const }],
    ['ratings that are not listed', { waitingCount: 4 }],
    ['more waiting than a batch takes', { batchSize: 2 }],
    ['episodes of several turns', { isSingleEpisode: (id: string) => id !== 's2' }],
    ['an answer that is not waiting', { interactionId: 'i9' }],
    ['nothing to compare with', { waiting: waiting.slice(0, 1), waitingCount: 1 }],
  ])('says nothing with %s', (_name, change) => {
    expect(provisionalAdvantage({ ...known, ...change })).toBeNull();
  });
});

describe('drafts', () => {
  it('puts a message that never reached the gateway back into its composer, unless something newer is there', () => {
    const restored = restoreUnanswered({
      [draftKeys.pending('one')]: 'lost',
      [draftKeys.pending('two')]: 'old',
      [draftKeys.composer('two')]: 'newer',
    });
    expect(restored[draftKeys.composer('one')]).toBe('lost');
    expect(restored[draftKeys.pending('one')]).toBe('');
    expect(restored[draftKeys.composer('two')]).toBe('newer');
  });

  it('reads an unconfirmed rating back as an unsaved one, with its note and what it ends', () => {
    const rating: PendingRating = {
      interactionId: 'i',
      stars: 4,
      note: 'fine',
      end: { sessionIds: ['s'], interactionIds: ['i'] },
      state: 'saving',
      problem: null,
    };
    const stored = unconfirmedRatings({ [draftKeys.rating('i')]: writeRating(rating), [draftKeys.rating('j')]: '' });
    expect([...stored.keys()]).toEqual(['i']);
    expect(readRating('i', stored.get('i') ?? '')).toEqual({ ...rating, state: 'failed' });
  });

  it.each([
    ['no JSON', '{'],
    ['another shape', '{"stars":6}'],
  ])('drops a stored rating that is %s', (_name, text) => {
    expect(readRating('i', text)).toBeNull();
  });
});

describe('versioned text', () => {
  it('cuts streamed text where the version changes', () => {
    const first = appendPiece([], 'a', [[1, 1]]);
    const second = appendPiece(first, 'b', [[1, 2]]);
    expect(
      appendPiece(second, 'c', [
        [1, 2],
        [2, 1],
      ]),
    ).toEqual([
      { version: 1, text: 'ab' },
      { version: 2, text: 'c' },
    ]);
  });

  const token = (text: string, version: number) => ({ text, version });
  it.each([
    [
      'joins neighbours of one version',
      [token('a', 1), token('b', 1), token('c', 2)],
      'abc',
      [
        { version: 1, text: 'ab' },
        { version: 2, text: 'c' },
      ],
    ],
    ['leaves out the end token', [token('a', 1), token('<|end|>', 1)], 'a', [{ version: 1, text: 'a' }]],
    ['gives up on tokens that do not spell the text', [token('x', 1)], 'a', []],
  ])('%s', (_name, tokens, visible, expected) => {
    expect(joinTokens(tokens, visible)).toEqual(expected);
  });
});

describe('isPassing', () => {
  it.each([
    [503, 'engine_unavailable', true],
    [502, 'bad_evidence', false],
    [507, 'disk_full', false],
    [400, 'context_length_exceeded', false],
    [401, 'invalid_api_key', false],
  ])('%i %s: %s', (status, code, expected) => {
    expect(isPassing({ kind: 'refused', status, code, message: '' })).toBe(expected);
  });
});

describe('newTaskId', () => {
  it('reads as a time and is safe as a file name', () => {
    expect(newTaskId(new Date(2026, 0, 2, 3, 4, 5))).toMatch(/^chat-20260102-030405-[a-z0-9]{5}$/);
  });
});

describe('appendCalls', () => {
  it('puts pieces of several calls together, however they interleave', () => {
    const named = appendCalls([], [{ index: 0, id: 'c1', name: 'add', arguments: '' }]);
    const both = appendCalls(named, [
      { index: 1, id: 'c2', name: 'look', arguments: '{' },
      { index: 0, arguments: '{"a"' },
    ]);
    expect(
      appendCalls(both, [
        { index: 0, arguments: ':1}' },
        { index: 1, arguments: '}' },
      ]),
    ).toEqual([
      { id: 'c1', name: 'add', arguments: '{"a":1}' },
      { id: 'c2', name: 'look', arguments: '{}' },
    ]);
    expect(named).toEqual([{ id: 'c1', name: 'add', arguments: '' }]);
  });
});
