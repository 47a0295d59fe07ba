import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonMeter } from './json-meter';

/** The values that stand in lists and objects, or begin one; counted on the parsed text. */
function countOf(value: unknown): { readonly values: number; readonly levels: number } {
  if (typeof value !== 'object' || value === null) return { values: 0, levels: 0 };
  const inner = Object.values(value).map(countOf);
  return {
    values: 1 + Math.max(0, inner.length - 1) + inner.reduce((sum, { values }) => sum + values, 0),
    levels: 1 + Math.max(0, ...inner.map(({ levels }) => levels)),
  };
}

const pieces = fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 40 });

describe('the meter of a JSON text', () => {
  it('counts as a parser would, wherever the text is cut', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }), pieces, (value, cuts) => {
        // What a parser would make of it, so that both see the same keys.
        const text = JSON.stringify(value);
        const { values, levels } = countOf(JSON.parse(text));
        const bytes = new TextEncoder().encode(text);
        const measure = (limits: { readonly values: number; readonly levels: number }): string | null => {
          const meter = new JsonMeter(limits);
          let at = 0;
          for (const cut of cuts) {
            const found = meter.addBytes(bytes.subarray(at, at + cut));
            if (found !== null) return found;
            at += cut;
          }
          return meter.addBytes(bytes.subarray(at));
        };
        expect(measure({ values, levels })).toBeNull();
        if (values > 0) expect(measure({ values: values - 1, levels })).toBe('values');
        if (levels > 0) expect(measure({ values, levels: levels - 1 })).toBe('levels');
        expect(new JsonMeter({ values, levels }).addText(text)).toBeNull();
      }),
    );
  });

  it('adds texts up', () => {
    const meter = new JsonMeter({ values: 5, levels: 3 });
    expect(meter.addText('["a","b')).toBeNull();
    expect(meter.addText('[1,2]')).toBeNull();
    expect(meter.addText('[1,2]')).toBe('values');
  });
});
