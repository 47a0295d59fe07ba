import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnswerDelta, AnswerMessage } from '../../shared/domain/answer';
import type { AnswerFormatName, AnswerParser } from './answer-format';
import { AnswerMessageBuilder } from './answer-message-builder';
import { JsonScanner } from './json-scanner';
import { selectAnswerFormat } from './select-format';
import { TOOLS, WRITTEN_ANSWERS } from './testing/written-answers';

const TEMPLATE = '<think></think>';
const FORMATS: readonly AnswerFormatName[] = ['plain', 'qwen', 'hermes', 'qwen-coder', 'llama', 'deepseek'];

/** Pieces that the formats are made of, in any order, between pieces of whole answers and of any text. */
const pieces = fc.constantFrom(
  ...['<think>', '</think>', '<tool_call>', '</tool_call>', '<function=now>', '<function=', '</function>'],
  ...['<parameter=city>', '</parameter>', '<|python_tag|>', '<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>'],
  ...['<｜tool▁call▁begin｜>', '<｜tool▁call▁end｜>', '<｜tool▁sep｜>', 'function', 'now', '```json\n', '\n```'],
  ...['{"name": "now", "arguments": {}}', '{"name": "now", "parameters": {"a": "}<tool_call>"}}', '{"name": "now'],
  ...['{', '}', '"', '\\', ';', ':', ',', '\n', ' ', '<', '</', '1', 'é', '😀', '{}', '<tool', '<｜tool'],
);
const fragment = fc
  .tuple(fc.constantFrom(...WRITTEN_ANSWERS), fc.nat({ max: 400 }), fc.nat({ max: 400 }))
  .map(([answer, from, to]) => answer.text.slice(Math.min(from, to), Math.max(from, to)));
const text = fc
  .array(fc.oneof({ weight: 6, arbitrary: pieces }, { weight: 2, arbitrary: fragment }, fc.string({ maxLength: 6 })), {
    maxLength: 14,
  })
  .map((parts) => parts.join(''));
const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 12 });
const situation = fc.record({
  format: fc.constantFrom(...FORMATS),
  startsInReasoning: fc.boolean(),
  hasTools: fc.boolean(),
});
type Situation = typeof situation extends fc.Arbitrary<infer Value> ? Value : never;

function parserOf({ format, startsInReasoning, hasTools }: Situation): AnswerParser {
  return selectAnswerFormat(format, TEMPLATE).createParser({
    tools: hasTools ? TOOLS : [],
    startsInReasoning,
    forcedOpening: '',
    newToolCallId: () => 'call_1',
  });
}

function cutUp(input: string, sizes: readonly number[]): string[] {
  const parts: string[] = [];
  for (let at = 0, turn = 0; at < input.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    parts.push(input.slice(at, at + size));
    at += size;
  }
  return parts;
}

function assemble(deltas: readonly AnswerDelta[]): AnswerMessage {
  const assembler = new AnswerMessageBuilder();
  assembler.add(deltas);
  return assembler.message();
}

function deltasOf(parser: AnswerParser, parts: readonly string[]): AnswerDelta[] {
  return [...parts.flatMap((part) => parser.push(part)), ...parser.finish()];
}

/** Order of the deltas too: runs of the same kind joined. */
function joined(deltas: readonly AnswerDelta[]): string[] {
  const lines: string[] = [];
  let last = '';
  for (const delta of deltas) {
    const key = delta.kind === 'tool-call' ? `call ${delta.index} ${delta.name}` : delta.kind;
    const body = 'text' in delta ? delta.text : '';
    if (key === last) lines[lines.length - 1] += body;
    else lines.push(`${key}: ${body}`);
    last = key;
  }
  return lines;
}

describe('every parser', () => {
  it('says the same however the text was cut', () => {
    fc.assert(
      fc.property(situation, text, cuts, (where, input, sizes) => {
        const whole = deltasOf(parserOf(where), [input]);
        expect(joined(deltasOf(parserOf(where), cutUp(input, sizes)))).toEqual(joined(whole));
      }),
      { numRuns: 1000 },
    );
  });

  it('has JSON objects as arguments and only tools that were offered', () => {
    fc.assert(
      fc.property(situation, text, (where, input) => {
        const parser = parserOf(where);
        const { toolCalls } = assemble(deltasOf(parser, [input]));
        expect(parser.completeToolCalls).toBe(toolCalls.length);
        for (const call of toolCalls) {
          expect(JSON.parse(call.arguments)).toBeTypeOf('object');
          expect(where.hasTools && TOOLS.some((tool) => tool.name === call.name)).toBe(true);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('holds back what may become a think tag', () => {
    // Where a bare object breaks at a `<`, what stood before it is told then: the only text that comes with half a tag.
    const formats = fc.constantFrom(...FORMATS.filter((format) => format !== 'llama'));
    const half = fc.constantFrom('<', '<t', '<think', '</', '</t', '</think');
    fc.assert(
      fc.property(situation, formats, text, half, (where, format, input, end) => {
        const parser = parserOf({ ...where, format });
        parser.push(`${input}x`);
        expect(parser.push(end)).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  it('tells every character outside of think tags where no tools are', () => {
    fc.assert(
      fc.property(situation, text, (where, input) => {
        const { content, reasoning } = assemble(deltasOf(parserOf({ ...where, hasTools: false }), [input]));
        const told = { content: '', reasoning: '' };
        let mode: keyof typeof told = where.startsInReasoning ? 'reasoning' : 'content';
        for (const part of input.split(/(<think>|<\/think>)/)) {
          if (part === '<think>') mode = 'reasoning';
          else if (part === '</think>') mode = 'content';
          else told[mode] += part;
        }
        expect(withoutBlanks(content)).toBe(withoutBlanks(told.content));
        expect(withoutBlanks(reasoning ?? '')).toBe(withoutBlanks(told.reasoning));
        if (!/<\/?think>/.test(input)) expect(where.startsInReasoning ? (reasoning ?? '') : content).toBe(input);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['qwen', 'qwen-coder', 'llama', 'deepseek'] as const)('reads back what %s writes', (format) => {
    const word = fc.string({ minLength: 1, unit: 'grapheme' }).map((value) => `w${value.replace(/[<{;]/g, '_')}`);
    const args = fc.dictionary(fc.constantFrom('a', 'b', 'é', 'city'), fc.jsonValue({ maxDepth: 3 }));
    const part = fc.oneof(
      fc.record({ kind: fc.constant('text' as const), text: word }),
      fc.record({ kind: fc.constant('thought' as const), text: word }),
      fc.record({ kind: fc.constant('call' as const), args, name: fc.constantFrom('now', 'write_file') }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), cuts, (parts, sizes) => {
        const input = parts
          .map((item) => {
            if (item.kind === 'text') return item.text;
            if (item.kind === 'thought') return `<think>\n${item.text}\n</think>\n\n`;
            return writeCall(format, item.name, item.args);
          })
          .join('');
        const parser = parserOf({ format, startsInReasoning: false, hasTools: true });
        const message = assemble(deltasOf(parser, cutUp(input, sizes)));
        const texts = (kind: 'text' | 'thought'): string =>
          parts.map((item) => (item.kind === kind ? item.text : '')).join('');
        expect(withoutBlanks(message.content)).toBe(withoutBlanks(texts('text')));
        expect(withoutBlanks(message.reasoning ?? '')).toBe(withoutBlanks(texts('thought')));
        const calls = parts.flatMap((item) => (item.kind === 'call' ? [item] : []));
        expect(message.toolCalls.map((call) => call.name)).toEqual(calls.map((call) => call.name));
        expect(message.toolCalls.map((call) => call.arguments)).toEqual(
          calls.map((call) => (format === 'qwen-coder' ? coderArguments(call.args) : JSON.stringify(call.args))),
        );
      }),
      { numRuns: 200 },
    );
  });
});

type Arguments = Readonly<Record<string, unknown>>;

function writeCall(format: AnswerFormatName, name: string, args: Arguments): string {
  const json = JSON.stringify(args);
  switch (format) {
    case 'qwen-coder':
      return `<tool_call>\n<function=${name}>\n${Object.entries(args)
        .map(([key, value]) => `<parameter=${key}>\n${JSON.stringify(value)}\n</parameter>\n`)
        .join('')}</function>\n</tool_call>\n`;
    case 'llama':
      return `<|python_tag|>{"name": "${name}", "parameters": ${json}}`;
    case 'deepseek':
      return name === 'now'
        ? `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${json}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`
        : `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${json}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`;
    default:
      return `\n<tool_call>\n{"name": "${name}", "arguments": ${json}}\n</tool_call>`;
  }
}

/** The tools say nothing about these parameters but `city`, and that is a string: text stays text. */
function coderArguments(args: Arguments): string {
  const members = Object.entries(args).map(
    ([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(JSON.stringify(value))}`,
  );
  return `{${members.join(', ')}}`;
}

function withoutBlanks(told: string): string {
  return told.replace(/[ \t\r\n]/g, '');
}

describe('JsonScanner', () => {
  it('ends behind every object, whatever follows, and finds its members', () => {
    const object = fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 4 }));
    fc.assert(
      fc.property(object, fc.nat({ max: 3 }), fc.string(), cuts, (value, indent, behind, sizes) => {
        const written = JSON.stringify(value, null, indent);
        const scanner = new JsonScanner(0);
        let seen = '';
        for (const part of cutUp(written + behind, sizes)) {
          seen += part;
          scanner.scan(seen);
        }
        expect(scanner.scan(seen)).toBe('done');
        expect(scanner.position).toBe(written.length);
        const members = [...scanner.members.values()].map(({ name, start, end }) => [
          JSON.parse(name) as string,
          JSON.parse(seen.slice(start, end)) as unknown,
        ]);
        expect(JSON.stringify(Object.fromEntries(members))).toBe(JSON.stringify(value));
      }),
    );
  });

  it('never calls done what JSON.parse refuses, apart from escapes', () => {
    const damage = fc.tuple(fc.nat(), fc.constantFrom('', '"', '{', ',', ':', '01', '-', ']', '\n', 'x'));
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), damage, (json, [where, put]) => {
        const whole = `{"a":${json}}`;
        const at = 1 + (where % whole.length);
        const damaged = whole.slice(0, at) + put + whole.slice(at + 1);
        const scanner = new JsonScanner(0);
        if (scanner.scan(damaged) !== 'done' || damaged.includes('\\')) return;
        expect(() => JSON.parse(damaged.slice(0, scanner.position)) as unknown).not.toThrow();
      }),
      { numRuns: 1000 },
    );
  });
});
