import { describe, expect, it } from 'vitest';
import { groupId, interactionId, sessionId } from '../../shared/domain/ids';
import type { Trajectory } from '../../shared/domain/trajectory';
import { trajectoryRecordSchema } from '../../shared/wire/trajectory-record';
import { segmentsOf, trajectoryLine } from './trajectory-record';

const describeTokens = (ids: readonly number[]): string[] => ids.map((id) => String.fromCodePoint(id));

function trajectory(mask: readonly (0 | 1)[], versions: readonly number[]): Trajectory {
  return {
    interactionId: interactionId('chatcmpl-1'),
    sessionId: sessionId('t-0'),
    taskId: 't',
    groupId: groupId('g'),
    source: 'human',
    raterId: null,
    turn: 0,
    tokens: { tokenIds: mask.map((_, t) => 97 + t), logprobs: mask.map(() => -0.5), lossMask: mask, versions },
    finishReason: 'stop',
    temperature: 1,
    distorted: false,
    reward: 1,
    originalReward: 0.5,
    createdAt: 0,
  };
}

describe('trajectoryLine', () => {
  it('writes AReaL’s fields first, in AReaL’s order', () => {
    const line = trajectoryLine(trajectory([0, 0, 1, 1, 1], [-1, -1, 5, 5, 6]), 3, describeTokens);
    expect(line).toMatch(
      /^\{"task_id": "t", "sample_idx": 3, "seqlen": 5, "prompt_len": 2, "head_version": 5, "tail_version": 6, "version_rle": \[\[5, 2\], \[6, 1\]\], "reward": 1\.0, "prompt": "ab", "completion": "cde", "original_reward": 0\.5, "session_id"/,
    );
    expect(trajectoryRecordSchema.parse(JSON.parse(line ?? ''))).toMatchObject({ output_token_texts: ['c', 'd', 'e'] });
  });

  it('lists segments when there is more than one generated span, and only then', () => {
    const record = JSON.parse(trajectoryLine(trajectory([0, 1, 0, 1], [-1, 1, -1, 2]), 0, describeTokens) ?? '');
    expect(record.segments).toEqual([
      { role: 'prompt', len: 1, text: 'a' },
      { role: 'gen', len: 1, text: 'b' },
      { role: 'context', len: 1, text: 'c' },
      { role: 'gen', len: 1, text: 'd' },
    ]);
    expect(record.completion).toBe('bcd');
    expect(JSON.parse(trajectoryLine(trajectory([0, 1], [-1, 1]), 0, describeTokens) ?? '')).not.toHaveProperty(
      'segments',
    );
  });

  it.each([
    ['an empty row', []],
    ['a row whose last token was not sampled', [0, 1, 0] as const],
    ['a row without an answer', [0, 0] as const],
  ])('skips %s', (_name, mask) => {
    expect(
      trajectoryLine(
        trajectory(
          mask,
          mask.map((bit) => (bit === 1 ? 0 : -1)),
        ),
        0,
        describeTokens,
      ),
    ).toBeNull();
  });
});

// AReaL: tests/test_split_trajectory_for_dump.py.
describe('segmentsOf', () => {
  it.each([
    ['000111', [0, 0, 0, 1, 1, 1] as const, ['prompt 3', 'gen 3']],
    ['00110011', [0, 0, 1, 1, 0, 0, 1, 1] as const, ['prompt 2', 'gen 2', 'context 2', 'gen 2']],
    ['all 0', [0, 0] as const, ['prompt 2']],
    ['all 1', [1, 1] as const, ['gen 2']],
    ['nothing', [], []],
  ])('splits %s', (_name, mask, expected) => {
    const segments = segmentsOf(
      mask,
      mask.map(() => 'x'),
    );
    expect(segments.map(({ role, len }) => `${role} ${len}`)).toEqual(expected);
    expect(segments.reduce((sum, { len }) => sum + len, 0)).toBe(mask.length);
  });
});
