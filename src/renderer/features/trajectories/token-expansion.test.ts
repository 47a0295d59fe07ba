import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeVersionRuns, encodeVersionRuns } from '../../../shared/domain/version-runs';
import type { TrajectoryRecord } from '../../../shared/wire/trajectory-record';
import { rowOf } from '../../testing/fake-dumps';
import { expandText } from './token-expansion';

const recordOf = (part: Partial<TrajectoryRecord>): TrajectoryRecord => rowOf(0, part).record!;

describe('expandText', () => {
  it('gives every token the version that sampled it', () => {
    const { blocks, tintOff } = expandText(recordOf({}));
    expect(tintOff).toBeNull();
    expect(blocks.map(({ role, length }) => [role, length])).toEqual([
      ['prompt', 3],
      ['gen', 5],
    ]);
    expect(blocks[1]?.tokens?.map(({ text, version }) => [text, version])).toEqual([
      ['The', 5],
      [' sum', 5],
      [' is', 6],
      [' 19', 6],
      ['.', 6],
    ]);
  });

  it('agrees with the decoded runs for any runs, and loses no character', () => {
    const token = fc.record({
      text: fc.string({ minLength: 1, maxLength: 4 }),
      version: fc.integer({ min: 0, max: 4 }),
    });
    fc.assert(
      fc.property(fc.array(token, { minLength: 1, maxLength: 80 }), (tokens) => {
        const runs = encodeVersionRuns(tokens.map(({ version }) => version));
        const completion = tokens.map(({ text }) => text).join('');
        const expanded = expandText(
          recordOf({ version_rle: runs, completion, output_token_texts: tokens.map(({ text }) => text) }),
        );
        const pieces = expanded.blocks.flatMap((block) => block.tokens ?? []);
        expect(pieces.map(({ version }) => version)).toEqual(decodeVersionRuns(runs));
        expect(pieces.map(({ text }) => text).join('')).toBe(completion);
        expect(pieces.map(({ position }) => position)).toEqual(tokens.map((_token, index) => index + 1));
        expect(expanded.textDiffers).toBe(false);
      }),
    );
  });

  it('deals tokens out over the generated spans of a multi-turn row, context between them', () => {
    const { blocks } = expandText(
      recordOf({
        segments: [
          { role: 'prompt', len: 3, text: 'What?' },
          { role: 'gen', len: 2, text: 'The sum' },
          { role: 'context', len: 9, text: ' go on ' },
          { role: 'gen', len: 3, text: ' is 19.' },
        ],
      }),
    );
    expect(blocks.map((block) => block.tokens?.map(({ text }) => text) ?? block.text)).toEqual([
      'What?',
      ['The', ' sum'],
      ' go on ',
      [' is', ' 19', '.'],
    ]);
  });

  it('adds ids and log-probabilities by the loss mask', () => {
    const { blocks } = expandText(
      recordOf({
        loss_mask: [0, 0, 0, 1, 1, 1, 1, 1],
        input_ids: [9, 9, 9, 11, 12, 13, 14, 15],
        logprobs: [0, 0, 0, -0.1, -0.2, -0.3, -0.4, -0.5],
      }),
    );
    expect(blocks[1]?.tokens?.[3]).toEqual({ position: 4, text: ' 19', version: 6, tokenId: 14, logprob: -0.4 });
  });

  it('shows no id or log-probability when the mask counts another number of tokens', () => {
    const { blocks } = expandText(recordOf({ loss_mask: [0, 1], input_ids: [1, 2], logprobs: [0, -1] }));
    expect(blocks[1]?.tokens?.[0]).toMatchObject({ tokenId: null, logprob: null });
  });

  it.each([
    ['no text per token', { output_token_texts: undefined }, 'no-token-texts'],
    ['no version runs, as in old dumps', { version_rle: undefined, head_version: -1 }, 'no-token-texts'],
    ['runs of another length', { version_rle: [[5, 4]] as [number, number][] }, 'length-mismatch'],
    [
      'segments of another length',
      { segments: [{ role: 'gen' as const, len: 4, text: 'The sum is 19' }] },
      'segment-mismatch',
    ],
  ])('tints nothing with %s, and says why', (_reason, part, expected) => {
    const expanded = expandText(recordOf(part));
    expect(expanded.tintOff).toBe(expected);
    expect(expanded.blocks.every(({ tokens }) => tokens === null)).toBe(true);
    expect(expanded.blocks.map(({ text }) => text).join('')).toContain('The sum is 19');
  });

  it('notes when the joined tokens are not the completion text', () => {
    expect(expandText(recordOf({ completion: 'The sum is 20.' })).textDiffers).toBe(true);
  });
});
