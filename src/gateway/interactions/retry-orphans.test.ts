import { describe, expect, it } from 'vitest';
import { interactionId } from '../../shared/domain/ids';
import { knownOrphans, type RetryFacts, retryOrphans } from './retry-orphans';
import { aTurn, continues } from './testing/session-turns';

interface Row {
  readonly id: string;
  readonly input: string;
  readonly parent?: string;
  readonly created?: number;
  readonly request?: string;
}

const facts = ({ id, input, parent, created, request }: Row): RetryFacts => ({
  interactionId: interactionId(id),
  requestId: request ?? id,
  parentId: parent === undefined ? null : interactionId(parent),
  inputKey: input,
  createdAt: created ?? 0,
});

// AReaL: tests/experimental/openai/test_retry_orphan.py. `input` stands for equal input messages.
describe('retryOrphans', () => {
  it.each([
    // test_no_retry_keeps_all
    [
      'no retry',
      [
        { id: 'a', input: 'hi' },
        { id: 'b', input: 'more', parent: 'a' },
      ],
      [],
    ],
    // test_single_retry_with_subsequent_turn_drops_orphan
    [
      'a retry that was continued',
      [
        { id: 'orphan', input: 'hi' },
        { id: 'retry', input: 'hi' },
        { id: 'next', input: 'more', parent: 'retry' },
      ],
      ['orphan'],
    ],
    // test_retry_then_session_ends_keeps_latest
    [
      'a retry at the end',
      [
        { id: 'orphan', input: 'hi' },
        { id: 'retry', input: 'hi' },
      ],
      ['orphan'],
    ],
    // test_all_leaves_keeps_latest_by_created_at
    [
      'a retry that arrived first but was made later',
      [
        { id: 'retry', input: 'hi', created: 100 },
        { id: 'orphan', input: 'hi', created: 50 },
      ],
      ['orphan'],
    ],
    // test_three_retries_drops_two_orphans
    [
      'two retries',
      [
        { id: 'o1', input: 'hi', created: 1 },
        { id: 'o2', input: 'hi', created: 2 },
        { id: 'final', input: 'hi', created: 3 },
      ],
      ['o1', 'o2'],
    ],
    // test_mid_conversation_retry
    [
      'a retry in the middle',
      [
        { id: 'c1', input: '1' },
        { id: 'c2', input: '2', parent: 'c1' },
        { id: 'c3_orphan', input: '3', parent: 'c2' },
        { id: 'c3_retry', input: '3', parent: 'c2' },
        { id: 'c4', input: '4', parent: 'c3_retry' },
        { id: 'c5', input: '5', parent: 'c4' },
      ],
      ['c3_orphan'],
    ],
    // test_both_siblings_have_children_keeps_both
    [
      'two answers that were both continued',
      [
        { id: 'a', input: 'hi' },
        { id: 'b', input: 'hi' },
        { id: 'a_child', input: 'ka', parent: 'a' },
        { id: 'b_child', input: 'kb', parent: 'b' },
      ],
      [],
    ],
    // ours: choices of one request (n = 2) are no retries of each other
    [
      'two choices of one request',
      [
        { id: 'a', input: 'hi' },
        { id: 'a-1', input: 'hi', request: 'a' },
      ],
      [],
    ],
    // ours: they are left behind together
    [
      'a request for two choices, then its retry',
      [
        { id: 'a', input: 'hi' },
        { id: 'a-1', input: 'hi', request: 'a' },
        { id: 'b', input: 'hi', created: 1 },
        { id: 'b-1', input: 'hi', request: 'b', created: 1 },
      ],
      ['a', 'a-1'],
    ],
    ['nothing', [], []],
  ] as const)('with %s', (_name, rows, expected) => {
    expect([...retryOrphans(rows.map((row: Row) => facts(row)))]).toEqual(expected);
  });
});

describe('knownOrphans', () => {
  const equal = { requestKey: 'k' };
  it.each([
    ['a replaced answer', [aTurn(0, { isReplaced: true }), aTurn(1)], ['i0']],
    ['a replaced answer that was continued all the same', [aTurn(0, { isReplaced: true }), aTurn(1, continues(0))], []],
    ['an undelivered answer and its retry', [aTurn(0, { ...equal, isUndelivered: true }), aTurn(1, equal)], ['i0']],
    ['an undelivered answer that nobody asked again', [aTurn(0, { ...equal, isUndelivered: true }), aTurn(1)], []],
    [
      'an undelivered answer that was rated',
      [aTurn(0, { ...equal, isUndelivered: true, reward: -1 }), aTurn(1, equal)],
      [],
    ],
    ['two delivered answers to one prompt', [aTurn(0, equal), aTurn(1, equal)], []],
    ['a retry that failed', [aTurn(0, { ...equal, isUndelivered: true }), aTurn(1, { ...equal, state: 'failed' })], []],
  ])('with %s', (_name, turns, expected) => {
    expect([...knownOrphans(turns)]).toEqual(expected);
  });
});
