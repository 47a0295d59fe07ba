import { Template } from '@huggingface/jinja';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../shared/domain/interaction';
import { IncrementalRenderer } from './incremental-renderer';
import { markParts } from './local-template';

const GROUPED = `{%- if tools %}{{- '<|im_start|>system\\n' }}{%- if messages[0].role == 'system' %}{{- messages[0].content }}{%- endif %}
{%- for tool in tools %}{{- "\\n" + loop.index ~ (tool | tojson) }}{%- endfor %}{{- "<|im_end|>\\n" }}{%- endif %}
{%- for message in messages %}
  {%- if message.role == 'user' or (message.role == 'system' and not loop.first) or (message.role == 'assistant' and not message.tool_calls) %}
    {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
  {%- elif message.role == 'assistant' %}
    {{- '<|im_start|>assistant' }}
    {%- for tool_call in message.tool_calls %}
      {%- if tool_call.function is defined %}{%- set tool_call = tool_call.function %}{%- endif %}
      {{- '\\n<tool_call>\\n' + tool_call.name + (tool_call.arguments | tojson) + '\\n</tool_call>' }}
      {%- if loop.last %}{{- '.' }}{%- endif %}
    {%- endfor %}
    {{- '<|im_end|>\\n' }}
  {%- elif message.role == 'tool' %}
    {%- if (loop.index0 == 0) or (messages[loop.index0 - 1].role != 'tool') %}{{- '<|im_start|>user' }}{%- endif %}
    {{- '\\n' + message.content }}
    {%- if loop.last or (messages[loop.index0 + 1].role != 'tool') %}{{- '<|im_end|>\\n' }}{%- endif %}
  {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}`;
const PLAIN = `{% for message in messages %}<{{ message.role }}>{{ message.content }}{% if loop.last %}!{% endif %}{% endfor %}a:`;
/** Reads the last message where it means the one before the first. */
const WRAPPING = `{% for message in messages %}{{ messages[loop.index0 - 1].content }}>{{ message.content }} {% endfor %}`;
const STRICT = `{% for message in messages %}{% if loop.previtem and loop.previtem.role == message.role %}{{ raise_exception('twice ' + message.role) }}{% endif %}{{ message.content }}|{% endfor %}`;
const LOCAL = { GROUPED, PLAIN, WRAPPING, STRICT };

const loop = (body: string): string => `{% for message in messages %}${body}{% endfor %}`;

describe('markParts', () => {
  it.each(Object.entries(LOCAL))('lets %s through', (_name, source) => {
    expect(markParts(new Template(source).parsed)).toBe(true);
  });

  it.each([
    ['no loop', '{{ messages[0].content }}'],
    ['two loops', loop('a') + loop('b')],
    ['a loop backwards', '{% for message in messages[::-1] %}{{ message.content }}{% endfor %}'],
    ['a filtered loop', '{% for message in messages if message.content %}{{ message.content }}{% endfor %}'],
    ['the number of messages', `${loop('x')}{{ messages | length }}`],
    ['the last message', `{{ messages[-1].content }}${loop('x')}`],
    ['messages that are cut', `{% set messages = messages[1:] %}${loop('x')}`],
    ['the position', loop('{{ loop.index }}')],
    ['the position in a test', loop('{% if loop.index0 % 2 == 0 %}x{% endif %}')],
    ['the distance from the end', loop('{{ loop.revindex }}')],
    ['two messages back', loop('{{ messages[loop.index0 - 2].content }}')],
    ['what is remembered', `{% set ns = namespace(n=0) %}${loop('{% set ns.n = 1 %}{{ ns.n }}')}`],
    ['a variable that outlives its round', loop('{% if message.x %}{% set x = 1 %}{% endif %}{{ x }}')],
    ['a macro', `{% macro f(m) %}{{ m }}{% endmacro %}${loop('{{ f(message) }}')}`],
    ['the clock', `{{ strftime_now("%Y") }}${loop('x')}`],
    ['all messages in an inner loop', loop('{% for m in messages %}x{% endfor %}')],
    ['a neighbour in an inner loop', loop('{% for c in message.x %}{{ messages[loop.index0 - 1].y }}{% endfor %}')],
    ['an early end', loop('{% if message.x %}{% break %}{% endif %}')],
  ])('leaves a template alone that depends on %s', (_reason, source) => {
    const template = new Template(source);
    const before = JSON.stringify(template.parsed);
    expect(markParts(template.parsed)).toBe(false);
    expect(JSON.stringify(template.parsed)).toBe(before);
  });
});

const call = fc.record({
  function: fc.record({ name: fc.constantFrom('f', 'g'), arguments: fc.dictionary(fc.string(), fc.string()) }),
});
const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'assistant', 'tool', 'system'), content: fc.string({ maxLength: 5 }) }),
  fc.record({ role: fc.constant('assistant'), content: fc.constant(''), tool_calls: fc.array(call, { maxLength: 2 }) }),
);
const step = fc.record({ keep: fc.nat({ max: 12 }), isCut: fc.boolean(), next: fc.array(message, { maxLength: 4 }) });

describe.each(Object.entries(LOCAL))('IncrementalRenderer with %s', (_name, source) => {
  it('renders what the template renders', () => {
    const whole = new Template(source);
    const marked = new Template(source);
    markParts(marked.parsed);
    const attempt = (render: () => string | null): string | null => {
      try {
        return render();
      } catch (error) {
        return `refused: ${String(error)}`;
      }
    };
    fc.assert(
      fc.property(fc.array(step, { maxLength: 10 }), fc.array(message, { maxLength: 6 }), (steps, start) => {
        const renderer = new IncrementalRenderer();
        let messages: ChatMessage[] = start;
        for (const { keep, isCut, next } of steps) {
          messages = [...(isCut ? messages.slice(0, keep) : messages), ...next];
          // As from the next request: equal, but not the same objects.
          const received = structuredClone(messages);
          const values = { tools: keep % 5 === 0 ? [{ name: 'f' }] : null, add_generation_prompt: true };
          const incremental = attempt(() =>
            renderer.render(received, {
              conversation: 'c',
              environment: JSON.stringify(values),
              renderMarked: (some) => marked.render({ ...values, messages: some }),
            }),
          );
          expect(incremental).toBe(attempt(() => whole.render({ ...values, messages })));
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('IncrementalRenderer', () => {
  it('shows a long conversation to the template only in its newest part', () => {
    const marked = new Template(PLAIN);
    markParts(marked.parsed);
    const renderer = new IncrementalRenderer();
    const messages: ChatMessage[] = [];
    for (let turn = 0; turn < 100; turn += 1) {
      messages.push({ role: 'user', content: `question ${turn}` }, { role: 'assistant', content: `answer ${turn}` });
      let shown = 0;
      const text = renderer.render(messages, {
        conversation: 'c',
        environment: '',
        renderMarked: (some) => {
          shown += some.length;
          return marked.render({ messages: some });
        },
      });
      expect(text).toContain(`answer ${turn}!a:`);
      if (turn > 3) expect(shown).toBeLessThan(8);
    }
  });

  it('leaves a text to the template that holds the mark itself', () => {
    const renderer = new IncrementalRenderer();
    const task = { conversation: 'c', environment: '', renderMarked: () => 'head\uDC01a\uDC01b\uDC01tail' };
    expect(renderer.render([{ role: 'user' }], task)).toBeNull();
    expect(renderer.render([{ role: 'user' }, { role: 'user' }], task)).toBe('headabtail');
  });
});
