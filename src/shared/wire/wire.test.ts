import { describe, expect, it } from 'vitest';
import { generateReplySchema } from './generate';
import { setRewardRequestSchema, startSessionRequestSchema } from './rl';
import { trainerMessageSchema } from './trainer';
import { trajectoryRecordSchema } from './trajectory-record';

// AReaL's dump format: a plain row, a row sampled by two versions with a normalised reward, and an older row without runs.
const RECORDS = [
  '{"task_id": 17, "sample_idx": 0, "seqlen": 5, "prompt_len": 2, "head_version": 3, "tail_version": 3, "version_rle": [[3, 3]], "reward": 1.0, "prompt": "a", "completion": "b", "original_reward": 1.0}',
  '{"task_id": 42, "sample_idx": 3, "seqlen": 9, "prompt_len": 4, "head_version": 4, "tail_version": 5, "version_rle": [[4, 3], [5, 2]], "reward": -0.577, "prompt": "\\u6c42", "completion": "c", "original_reward": 0.0}',
  '{"task_id": 1, "sample_idx": 0, "seqlen": 9, "prompt_len": 4, "head_version": -1, "tail_version": 2, "reward": 0.0, "prompt": "p", "completion": "c"}',
];

describe('trajectoryRecordSchema', () => {
  it.each(RECORDS)('opens %s', (line) => {
    expect(trajectoryRecordSchema.parse(JSON.parse(line))).toEqual(JSON.parse(line));
  });

  it('keeps fields it does not know', () => {
    const row = { ...JSON.parse(RECORDS[0] as string), future_field: [1] };
    expect(trajectoryRecordSchema.parse(row)).toHaveProperty('future_field', [1]);
  });

  it.each([
    ['a missing field', { prompt: undefined }],
    ['runs of one number', { version_rle: [[3]] }],
    ['a fractional length', { seqlen: 1.5 }],
  ])('refuses %s', (_reason, change) => {
    expect(trajectoryRecordSchema.safeParse({ ...JSON.parse(RECORDS[0] as string), ...change }).success).toBe(false);
  });
});

describe('startSessionRequestSchema', () => {
  it.each([
    ['AReaL’s body', { task_id: 'demo', api_key: null }, true],
    ['unknown fields', { task_id: 'demo', extra: 1 }, true],
    ['a numeric task id', { task_id: 3 }, false],
    ['an empty task id', { task_id: '' }, false],
    ['a discount above one', { task_id: 'demo', turn_discount: 1.1 }, false],
  ])('%s', (_reason, body, accepted) => {
    expect(startSessionRequestSchema.safeParse(body).success).toBe(accepted);
  });
});

describe('setRewardRequestSchema', () => {
  it.each([
    ['a number', 0.5, true],
    ['a number too large for a double', Number.POSITIVE_INFINITY, false],
    ['not a number', Number.NaN, false],
    ['a numeric string', '1', false],
    ['nothing', null, false],
  ])('%s', (_reason, reward, accepted) => {
    expect(setRewardRequestSchema.safeParse({ reward }).success).toBe(accepted);
  });
});

describe('generateReplySchema', () => {
  it('reads an abort without a status code as a deliberate interruption', () => {
    const reply = generateReplySchema.parse({
      output_ids: [],
      meta_info: { id: 'r', finish_reason: { type: 'abort', message: 'Aborted', status_code: null, err_type: null } },
    });
    expect(reply.meta_info.finish_reason).toMatchObject({ type: 'abort', status_code: null });
  });
});

describe('trainerMessageSchema', () => {
  it('refuses a message of no known type', () => {
    expect(trainerMessageSchema.safeParse({ type: 'surprise' }).success).toBe(false);
  });
});
