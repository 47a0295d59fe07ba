import { Template } from '@huggingface/jinja';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderWithConstants } from './base-environment';

const CONSTANTS = { eos_token: '<|im_end|>', pad_token: '', add_generation_prompt: true };
const messages = fc.array(
  fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.string({ unit: 'grapheme', maxLength: 8 }) }),
  { maxLength: 4 },
);

/** What rendering gives, or why it does not. */
function outcome(render: () => string): string {
  try {
    return render();
  } catch (error) {
    return `refused: ${String(error)}`;
  }
}

describe('renderWithConstants', () => {
  it.each<[string, string]>([
    ['a constant', '{{ eos_token }}|{{ pad_token }}|{% if add_generation_prompt %}go{% endif %}'],
    [
      'what is built in',
      '{{ [true, True, false, False, none, None] }}{{ none is none }}{{ raise_exception is callable }}',
    ],
    ['a refusal', "{% if messages | length > 2 %}{{ raise_exception('Too ' + 'many') }}{% endif %}fine"],
    ['a refusal of no text', '{% if messages | length > 2 %}{{ raise_exception(messages) }}{% endif %}fine'],
    ['an error', '{{ messages[0].content + 1 }}'],
    ['what is not there', '{{ tools is defined }}{% if tools %}tools{% endif %}{{ bos_token }}{{ bos_token is none }}'],
    ['a constant that is set anew', "{{ eos_token }}{% set eos_token = 'x' + eos_token %}{{ eos_token }}"],
    ['something built in that is set anew', "{{ true }}{% set true = 'yes' %}{{ true }}"],
    ['a constant in a loop', '{% for eos_token in messages %}{{ eos_token.role }}{% endfor %}{{ eos_token }}'],
    ['a namespace', '{% set n = namespace(c=0) %}{% for m in messages %}{% set n.c = n.c + 1 %}{% endfor %}{{ n.c }}'],
    [
      'a macro',
      '{% macro turn(m) %}{{ m.role }}{{ eos_token }}{% endmacro %}{% for m in messages %}{{ turn(m) }}{% endfor %}',
    ],
    [
      'turns',
      "{% for m in messages %}{{ m['role'] + ': ' + m['content'] | trim + eos_token }}{{ loop.index }}{% endfor %}",
    ],
    ['a range', '{% for i in range(messages | length) %}{{ messages[i].content }}{% endfor %}'],
    ['a clock', "{{ strftime_now('-') }}{{ strftime_now is callable }}"],
    ['names like those of the library', "{% set my_range = 1 %}{{ my_range }}{{ 'range' }}"],
  ])('renders %s as the library does, each time anew', (_what, source) => {
    const template = new Template(source);
    const render = renderWithConstants(source, CONSTANTS);
    fc.assert(
      fc.property(messages, (some) => {
        const shown = { messages: some };
        const expected = outcome(() => new Template(source).render({ ...CONSTANTS, ...shown }));
        expect(outcome(() => render(template, shown))).toBe(expected);
      }),
    );
  });
});
