import fc from 'fast-check';
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

// AReaL: tests/test_split_trajectory_for_dump.py, case names beside the rows.
describe('the split of a trajectory', () => {
  it.each([
    // test_single_turn_no_segments
    ['000111', 3, null],
    // test_multi_turn_has_segments
    ['00110011', 2, ['prompt 2', 'gen 2', 'context 2', 'gen 2']],
    // test_all_ones_gen_only
    ['111', 0, null],
    // test_three_gen_runs
    ['001100110011', 2, ['prompt 2', 'gen 2', 'context 2', 'gen 2', 'context 2', 'gen 2']],
    // test_single_token_gen
    ['1', 0, null],
    // ours: two spans without a prompt before them
    ['1011', 0, ['gen 1', 'context 1', 'gen 2']],
  ])('%s', (bits, promptEnd, expected) => {
    const mask = [...bits].map((bit) => (bit === '1' ? 1 : 0));
    const versions = mask.map((bit) => (bit === 1 ? 0 : -1));
    const record = trajectoryRecordSchema.parse(
      JSON.parse(trajectoryLine(trajectory(mask, versions), 0, describeTokens) ?? ''),
    );
    const text = mask.map((_, t) => String.fromCodePoint(97 + t)).join('');
    expect([record.prompt_len, record.prompt, record.completion]).toEqual([
      promptEnd,
      text.slice(0, promptEnd),
      text.slice(promptEnd),
    ]);
    expect(record.segments?.map(({ role, len }) => `${role} ${len}`) ?? null).toEqual(expected);
    expect(record.segments?.map((segment) => segment.text).join('') ?? text).toBe(text);
  });

  // test_all_zeros_prompt_only: the split is all prompt, and AReaL dumps no such row
  it('of a row without an answer is all prompt', () => {
    expect(segmentsOf([0, 0, 0], ['a', 'b', 'c'])).toEqual([{ role: 'prompt', len: 3, text: 'abc' }]);
    expect(trajectoryLine(trajectory([0, 0, 0], [-1, -1, -1]), 0, describeTokens)).toBeNull();
  });

  // test_length_mismatch_raises_valueerror
  it('refuses ids and mask of different lengths', () => {
    expect(() => segmentsOf([0], ['a', 'b'])).toThrow('2 tokens do not match 1 mask bits');
  });

  it('covers every token once, in order, with roles that alternate', () => {
    const masks = fc.array(fc.constantFrom(0 as const, 1 as const), { maxLength: 40 });
    fc.assert(
      fc.property(masks, (mask) => {
        const texts = mask.map((_, t) => `<${t}>`);
        const segments = segmentsOf(mask, texts);
        expect(segments.map((segment) => segment.text).join('')).toBe(texts.join(''));
        expect(segments.flatMap(({ role, len }) => new Array<number>(len).fill(role === 'gen' ? 1 : 0))).toEqual(mask);
        segments.forEach(({ role }, k) => {
          expect(role === 'prompt').toBe(k === 0 && mask[0] === 0);
          if (k > 0) expect(role === 'gen').toBe(segments[k - 1]?.role !== 'gen');
        });
      }),
    );
  });
});
