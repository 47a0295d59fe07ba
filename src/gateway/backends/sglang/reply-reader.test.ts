import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReplyReader } from './reply-reader';

type Span = readonly [version: number, start: number, end: number];

/** An event that tells of `total` tokens and brings the last `fresh` of them. */
function event(total: number, fresh: number, spans: readonly Span[] | null): string {
  const ids = Array.from({ length: fresh }, (_, index) => total - fresh + index);
  return JSON.stringify({
    output_ids: ids,
    meta_info: {
      id: 'r',
      finish_reason: null,
      completion_tokens: total,
      weight_version: '9',
      ...(spans === null
        ? {}
        : { weight_versions: spans.map(([version, start, end]) => ({ version: String(version), start, end })) }),
      output_token_logprobs: ids.map((id) => [-id, id, null]),
    },
  });
}

const versionsOf = (reader: ReplyReader, data: string): readonly number[] | string => {
  const step = reader.read(data);
  return step.ok ? (step.value.delta?.versions ?? []) : step.error;
};

describe('versions of the tokens of a stream', () => {
  it('are those of the new tokens alone', () => {
    const reader = new ReplyReader();
    expect(versionsOf(reader, event(2, 2, [[0, 0, 2]]))).toEqual([0, 0]);
    const spans: Span[] = [
      [0, 0, 3],
      [1, 3, 4],
    ];
    expect(versionsOf(reader, event(4, 2, spans))).toEqual([0, 1]);
    expect(versionsOf(reader, event(5, 1, [...spans.slice(0, 1), [1, 3, 5]]))).toEqual([1]);
  });

  it.each<[what: string, spans: Span[], error: RegExp]>([
    ['a token that changed', [[1, 0, 4]], /first said version 0 for token 0, then 1/],
    [
      'a token in the middle that changed',
      [
        [0, 0, 2],
        [2, 2, 4],
      ],
      /first said version 1 for token 2, then 2/,
    ],
    [
      'a cut that moved',
      [
        [0, 0, 1],
        [1, 1, 4],
      ],
      /first said version 0 for token 1, then 1/,
    ],
    ['too few', [[0, 0, 2]], /versions for 2 of 4 tokens/],
    [
      'a gap',
      [
        [0, 0, 2],
        [1, 3, 4],
      ],
      /gap/,
    ],
  ])('are refused with %s', (_what, spans, error) => {
    const reader = new ReplyReader();
    const first: Span[] = [
      [0, 0, 2],
      [1, 2, 3],
    ];
    expect(versionsOf(reader, event(3, 3, first))).toEqual([0, 0, 1]);
    expect(versionsOf(reader, event(4, 1, spans))).toMatch(error);
  });

  it('are the same however the engine streams and cuts', () => {
    const answers = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(answers, fc.array(fc.nat(3), { maxLength: 30 }), fc.boolean(), (versions, pieces, isCumulative) => {
        const reader = new ReplyReader();
        const got: number[] = [];
        let told = 0;
        for (const piece of [...pieces, versions.length]) {
          const total = Math.min(versions.length, told + piece);
          if (total === told) continue;
          const spans = versions.slice(0, total).map((version, at): Span => [version, at, at + 1]);
          const step = versionsOf(reader, event(total, isCumulative ? total : total - told, spans));
          got.push(...(step as readonly number[]));
          told = total;
        }
        expect(got).toEqual(versions);
      }),
    );
  });

  it('are the engine’s version at each event when it names no spans', () => {
    const reader = new ReplyReader();
    expect(versionsOf(reader, event(2, 2, null))).toEqual([9, 9]);
    expect(versionsOf(reader, event(3, 1, []))).toEqual([9]);
  });
});
