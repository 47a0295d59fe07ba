import { describe, expect, it } from 'vitest';
import { coerceArgument } from './coerce-argument';
import { endsInReasoning, openingBehind } from './prompt-end';
import { selectAnswerFormat } from './select-format';
import { TOOLS } from './testing/written-answers';

/** The lines that tell the families' chat templates apart. */
const TEMPLATES = {
  qwen: `{{- "<tool_call>\\n{\\"name\\": <function-name>, \\"arguments\\": <args-json-object>}\\n</tool_call>" }}{% if '</think>' in content %}`,
  coder: `{{- '<tool_call>\\n<function=example_function_name>\\n<parameter=example_parameter_1>' }}`,
  hermes: `{{- "Use the following pydantic model json schema for each tool call: <tool_call>" }}`,
  llama: `{{- 'Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}.' }}`,
  llamaTag: `{{- "<|python_tag|>" + tool_call.name }}`,
  v3: "{{'<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>' + tool['type'] + '<｜tool▁sep｜>' + name + '\\n' + '```json'}}",
  v31: "{{'<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>'+ name + '<｜tool▁sep｜>' + args + '<｜tool▁call▁end｜>'}}",
  none: '{{ messages[0].content }}',
} as const;

describe('selectAnswerFormat', () => {
  it.each([
    ['Qwen2.5 and Qwen3', 'auto', TEMPLATES.qwen, 'qwen'],
    ['Qwen3-Coder', 'auto', TEMPLATES.coder, 'qwen-coder'],
    ['Hermes', 'auto', TEMPLATES.hermes, 'hermes'],
    ['Llama 3.2', 'auto', TEMPLATES.llama, 'llama'],
    ['Llama 3.1', 'auto', TEMPLATES.llamaTag, 'llama'],
    ['DeepSeek V3', 'auto', TEMPLATES.v3, 'deepseek'],
    ['no tools at all', 'auto', TEMPLATES.none, 'plain'],
    ['no template', 'auto', null, 'plain'],
    ['a setting, whatever the template shows', 'llama', TEMPLATES.qwen, 'llama'],
  ] as const)('reads %s', (_reason, setting, template, name) => {
    expect(selectAnswerFormat(setting, template).name).toBe(name);
  });

  it('asks for the tags of thinking only where the template has them', () => {
    expect(selectAnswerFormat('auto', TEMPLATES.qwen).markers).toEqual([
      '<think>',
      '</think>',
      '<tool_call>',
      '</tool_call>',
    ]);
    expect(selectAnswerFormat('auto', TEMPLATES.hermes).markers).toEqual(['<tool_call>', '</tool_call>']);
    expect(selectAnswerFormat('auto', TEMPLATES.none).markers).toEqual([]);
    expect(selectAnswerFormat('auto', TEMPLATES.v31).markers).toContain('<｜tool▁sep｜>');
  });
});

describe('forcedOpening', () => {
  it.each([
    ['plain', TEMPLATES.none, null, ''],
    ['qwen', TEMPLATES.qwen, 'get_weather', ' {"city": "Oslo"}}\n</tool_call>'],
    ['coder', TEMPLATES.coder, 'get_weather', '<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>'],
    ['llama', TEMPLATES.llama, 'get_weather', ' {"city": "Oslo"}}'],
    ['V3', TEMPLATES.v3, 'get_weather', '{"city": "Oslo"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>'],
    ['V3.1', TEMPLATES.v31, 'get_weather', '{"city": "Oslo"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>'],
    ['qwen, any', TEMPLATES.qwen, null, 'get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'],
    ['coder, any', TEMPLATES.coder, null, 'get_weather>\n<parameter=city>Oslo</parameter></function></tool_call>'],
    ['llama, any', TEMPLATES.llama, null, 'get_weather", "parameters": {"city": "Oslo"}}'],
    ['V3, any', TEMPLATES.v3, null, 'get_weather\n```json\n{"city": "Oslo"}\n```<｜tool▁call▁end｜>'],
    ['V3.1, any', TEMPLATES.v31, null, 'get_weather<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜>'],
  ] as const)('of %s is gone on with to a call', (_reason, template, toolName, rest) => {
    const format = selectAnswerFormat('auto', template);
    const forcedOpening = format.forcedOpening(toolName);
    if (format.name === 'plain') return expect(forcedOpening).toBeNull();
    const parser = format.createParser({
      tools: TOOLS,
      startsInReasoning: false,
      forcedOpening: forcedOpening ?? '',
      newToolCallId: () => 'call_1',
    });
    const [call, args, ...others] = [...parser.push(rest), ...parser.finish()];
    expect(call).toEqual({ kind: 'tool-call', index: 0, id: 'call_1', name: 'get_weather' });
    expect(args).toEqual({ kind: 'tool-arguments', index: 0, text: '{"city": "Oslo"}' });
    expect(others).toEqual([]);
  });
});

describe('the end of a prompt', () => {
  it.each([
    ['thinking begun', '<|im_start|>assistant\n<think>\n', true],
    ['thinking switched off', '<|im_start|>assistant\n<think>\n\n</think>\n\n', false],
    ['no thinking', '<|im_start|>assistant\n', false],
  ])('%s', (_reason, prompt, isReasoning) => {
    expect(endsInReasoning(prompt)).toBe(isReasoning);
    expect(openingBehind(prompt, '{')).toBe(isReasoning ? '\n</think>\n\n{' : '{');
  });
});

describe('coerceArgument', () => {
  it.each([
    ['a string as it is', ' 5 ', { type: 'string' }, '" 5 "'],
    ['an integer beyond doubles', '12345678901234567890', { type: 'integer' }, '12345678901234567890'],
    ['a fraction for an integer', '1.5', { type: 'integer' }, '"1.5"'],
    ['a number', '-1.50e3', { type: 'number' }, '-1.50e3'],
    ['no JSON number', '007', { type: 'number' }, '"007"'],
    ['a boolean in Python', 'False', { type: 'boolean' }, 'false'],
    ['no boolean', 'yes', { type: 'boolean' }, '"yes"'],
    ['null in Python', 'None', { type: ['integer', 'null'] }, 'null'],
    ['null for a string', 'null', { type: ['string', 'null'] }, '"null"'],
    ['an object', '{"a": [1]}', { type: 'object' }, '{"a": [1]}'],
    ['no object', "{'a': 1}", { type: 'object' }, `"{'a': 1}"`],
    ['an array for an object', '[1]', { type: 'object' }, '"[1]"'],
    ['one of several', '[1]', { anyOf: [{ type: 'integer' }, { type: 'array' }] }, '[1]'],
    ['an enum of numbers', '2', { enum: [1, 2] }, '2'],
    ['no schema', '5', undefined, '"5"'],
  ])('%s', (_reason, written, schema, json) => {
    expect(coerceArgument(written, schema)).toBe(json);
  });
});
