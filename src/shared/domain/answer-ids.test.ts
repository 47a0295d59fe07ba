import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toAnswerId, toInteractionId } from './answer-ids';
import { interactionId } from './ids';

const STEM = '0123456789abcdef0123456789abc';

describe('toInteractionId', () => {
  it.each([
    ['a completion', `chatcmpl-${STEM}`, `chatcmpl-${STEM}`],
    ['a further choice', `chatcmpl-${STEM}-2`, `chatcmpl-${STEM}-2`],
    ['a response', `resp_${STEM}`, `chatcmpl-${STEM}`],
    ["AReaL's spelling of a response", `resp-${STEM}`, `chatcmpl-${STEM}`],
    ['a message', `msg_${STEM}`, `chatcmpl-${STEM}`],
    ['an output item', `fc_${STEM}_12`, `chatcmpl-${STEM}`],
    ['a word that only looks like one', 'resp_short', 'resp_short'],
    ['upper-case digits, which we never issue', `resp_${STEM.toUpperCase()}`, `resp_${STEM.toUpperCase()}`],
    ['an empty text', '', ''],
  ])('reads the id of %s', (_reason, given, expected) => {
    expect(toInteractionId(given)).toBe(expected);
  });

  it('undoes toAnswerId for every prefix and item', () => {
    const stems = fc.stringMatching(/^[0-9a-f]{29}$/);
    const prefixes = fc.constantFrom('resp', 'msg', 'rs', 'fc');
    fc.assert(
      fc.property(stems, prefixes, fc.option(fc.nat(500), { nil: undefined }), (stem, prefix, index) => {
        const id = interactionId(`chatcmpl-${stem}`);
        expect(toInteractionId(toAnswerId(prefix, id, index))).toBe(id);
      }),
    );
  });
});
