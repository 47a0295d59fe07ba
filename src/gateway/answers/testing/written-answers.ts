import type { ToolDefinition } from '../../../shared/domain/chat-call';
import type { AnswerFormatName } from '../answer-format';

/** An answer in the form that a family's model card and chat template document, and what it says. */
export interface WrittenAnswer {
  readonly title: string;
  readonly format: AnswerFormatName;
  readonly text: string;
  readonly content: string;
  readonly reasoning?: string;
  /** name and JSON text of the arguments */
  readonly calls?: readonly (readonly [name: string, args: string])[];
  readonly startsInReasoning?: boolean;
  readonly forcedOpening?: string;
  readonly tools?: readonly ToolDefinition[];
}

export const TOOLS: readonly ToolDefinition[] = [
  {
    name: 'get_weather',
    description: 'Weather of a city',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' }, units: { enum: ['metric', 'imperial'] } },
      required: ['city'],
    },
  },
  {
    name: 'write_file',
    description: 'Writes a file',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        content: { type: 'string' },
        mode: { type: 'number' },
        append: { type: 'boolean' },
        labels: { type: 'array', items: { type: 'string' } },
        owner: { anyOf: [{ type: 'object' }, { type: 'null' }] },
      },
    },
  },
  { name: 'now', description: null, parameters: null },
];

const QWEN: readonly Omit<WrittenAnswer, 'format'>[] = [
  {
    title: 'text alone',
    text: 'The sum is **42**.\n\nAnything else?\n',
    content: 'The sum is **42**.\n\nAnything else?\n',
  },
  {
    title: 'one call',
    text: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>',
    content: '',
    calls: [['get_weather', '{"city": "Oslo"}']],
  },
  {
    title: 'text before and after',
    text: 'Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo", "days": 2}}\n</tool_call>\nDone.',
    content: 'Let me look.\nDone.',
    calls: [['get_weather', '{"city": "Oslo", "days": 2}']],
  },
  {
    title: 'white space before a call, text after',
    text: '\n\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>\n\nDone.\n',
    content: 'Done.\n',
    calls: [['now', '{}']],
  },
  {
    title: 'two calls',
    text: '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>',
    content: '',
    calls: [
      ['get_weather', '{"city": "Oslo"}'],
      ['now', '{}'],
    ],
  },
  {
    title: 'thinking, then a call',
    text: '<think>\nThe user wants weather. <tool_call> is the way.\n</think>\n\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Zürich ☂️ 東京"}}\n</tool_call>',
    reasoning: 'The user wants weather. <tool_call> is the way.',
    content: '',
    calls: [['get_weather', '{"city": "Zürich ☂️ 東京"}']],
  },
  {
    title: 'braces, escapes and tags in a string',
    text: '<tool_call>\n{"name": "write_file", "arguments": {"path": "a.md", "content": "} \\"{</tool_call> <tool_call>{\\"name\\": \\"now\\"} <think>\\n\\u00e9 \\\\"}}\n</tool_call>',
    content: '',
    calls: [
      [
        'write_file',
        '{"path": "a.md", "content": "} \\"{</tool_call> <tool_call>{\\"name\\": \\"now\\"} <think>\\n\\u00e9 \\\\"}',
      ],
    ],
  },
  {
    title: 'nested arguments before the name, on many lines',
    text: '<tool_call>\n{\n  "arguments": {\n    "owner": {"id": [1, 2.5e3, -0, {"x": [[]]}]},\n    "append": true\n  },\n  "name": "write_file"\n}\n</tool_call>',
    content: '',
    calls: [['write_file', '{\n    "owner": {"id": [1, 2.5e3, -0, {"x": [[]]}]},\n    "append": true\n  }']],
  },
  {
    title: 'broken JSON, then a good call',
    text: 'Hm.\n<tool_call>\n{"name": "get_weather, "arguments": {"city": "Oslo"}}\n</tool_call>\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>',
    content: 'Hm.\n<tool_call>\n{"name": "get_weather, "arguments": {"city": "Oslo"}}\n</tool_call>',
    calls: [['now', '{}']],
  },
  {
    title: 'a call within a broken one is not made',
    text: '<tool_call>\nwrite_file(content="<tool_call>{"name": "now", "arguments": {}}</tool_call>")',
    content: '<tool_call>\nwrite_file(content="<tool_call>{"name": "now", "arguments": {}}</tool_call>")',
  },
  {
    title: 'cut off within the arguments',
    text: 'Looking.\n\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Os',
    content: 'Looking.\n\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Os',
  },
  { title: 'cut off within a tag', text: 'Well <tool_ca', content: 'Well <tool_ca' },
  {
    title: 'cut off within the end tag',
    text: '<tool_call>\n{"name": "now", "arguments": {}}\n</tool',
    content: '',
    calls: [['now', '{}']],
  },
  {
    title: 'a forgotten end tag between two calls',
    text: '<tool_call>\n{"name": "now"}\n<tool_call>\n{"name": "now", "arguments": null}\n</tool_call>',
    content: '',
    calls: [
      ['now', '{}'],
      ['now', '{}'],
    ],
  },
  {
    title: 'a tool that was not offered',
    text: '<tool_call>\n{"name": "rm_rf", "arguments": {"path": "/"}}\n</tool_call>',
    content: '<tool_call>\n{"name": "rm_rf", "arguments": {"path": "/"}}\n</tool_call>',
  },
  {
    title: 'arguments written as a string of JSON',
    text: '<tool_call>\n{"name": "get_weather", "arguments": "{\\"city\\": \\"Oslo\\"}"}\n</tool_call>',
    content: '',
    calls: [['get_weather', '{"city": "Oslo"}']],
  },
  {
    title: 'arguments that are no object',
    text: '<tool_call>\n{"name": "get_weather", "arguments": ["Oslo"]}\n</tool_call>',
    content: '<tool_call>\n{"name": "get_weather", "arguments": ["Oslo"]}\n</tool_call>',
  },
  {
    title: 'thinking that is never closed',
    text: '<think>\nFirst\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>\n',
    reasoning: 'First\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>\n',
    content: '',
  },
  {
    title: 'an empty thought and indented code',
    text: '<think>\n\n</think>\n\n    x = 1 < 2\n',
    content: '    x = 1 < 2\n',
  },
  {
    title: 'a prompt that opened the thought',
    text: 'Easy: 2 < 3.\n</think>\n\nYes.',
    reasoning: 'Easy: 2 < 3.',
    content: 'Yes.',
    startsInReasoning: true,
  },
  {
    title: 'a prompt that opened the thought, and the model opened it once more',
    text: '<think>\nAgain.\n</think>\nYes.',
    reasoning: 'Again.',
    content: 'Yes.',
    startsInReasoning: true,
  },
  {
    title: 'no tools were offered',
    text: 'a <tool_call>\n{"name": "now"}\n</tool_call> b',
    content: 'a <tool_call>\n{"name": "now"}\n</tool_call> b',
    tools: [],
  },
  {
    title: 'the rest of a call that the prompt opened',
    forcedOpening: '<tool_call>\n{"name": "get_weather", "arguments":',
    text: ' {"city": "Bergen"}}\n</tool_call>',
    content: '',
    calls: [['get_weather', '{"city": "Bergen"}']],
  },
  {
    title: 'a forced call that breaks tells only what the model wrote',
    forcedOpening: '<tool_call>\n{"name": "',
    text: 'get_weather" oops',
    content: 'get_weather" oops',
  },
  {
    title: 'less-than signs and half tags in text',
    text: 'if a <b and <tool then </think is <<think or <tool_calls> 5 <',
    content: 'if a <b and <tool then </think is <<think or <tool_calls> 5 <',
  },
];

const CODER: readonly Omit<WrittenAnswer, 'format'>[] = [
  {
    title: 'one call with every type',
    text: '<tool_call>\n<function=write_file>\n<parameter=path>\nsrc/é.py\n</parameter>\n<parameter=content>\nif a < b:\n    print("</tool_call> {")\n\n</parameter>\n<parameter=mode>\n6.50\n</parameter>\n<parameter=append>\nTrue\n</parameter>\n<parameter=labels>\n["a", "b"]\n</parameter>\n<parameter=owner>\nNone\n</parameter>\n</function>\n</tool_call>',
    content: '',
    calls: [
      [
        'write_file',
        '{"path": "src/é.py", "content": "if a < b:\\n    print(\\"</tool_call> {\\")\\n", "mode": 6.50, "append": true, "labels": ["a", "b"], "owner": null}',
      ],
    ],
  },
  {
    title: 'text before, two calls, text after',
    text: "I'll check both.\n\n<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>\n<tool_call>\n<function=now>\n</function>\n</tool_call>\nWait.",
    content: "I'll check both.\n\nWait.",
    calls: [
      ['get_weather', '{"city": "Oslo", "days": 3}'],
      ['now', '{}'],
    ],
  },
  {
    title: 'values that do not fit their types stay strings',
    text: '<tool_call>\n<function=get_weather>\n<parameter=city>\n5\n</parameter>\n<parameter=days>\ntwo\n</parameter>\n<parameter=else>\n[1]\n</parameter>\n</function>\n</tool_call>',
    content: '',
    calls: [['get_weather', '{"city": "5", "days": "two", "else": "[1]"}']],
  },
  {
    title: 'a value that quotes the format',
    text: '<tool_call>\n<function=write_file>\n<parameter=content>\nClose it with </parameter> and then </function>, says <parameter=x>.\n</parameter>\n</function>\n</tool_call>',
    content: '',
    calls: [['write_file', '{"content": "Close it with </parameter> and then </function>, says <parameter=x>."}']],
  },
  {
    title: 'the outer tags forgotten',
    text: 'Now:\n<function=now>\n</function>\n',
    content: 'Now:',
    calls: [['now', '{}']],
  },
  {
    title: 'only the opening tag forgotten',
    text: '<function=get_weather>\n<parameter=city>\n東京\n</parameter>\n</function>\n</tool_call>',
    content: '',
    calls: [['get_weather', '{"city": "東京"}']],
  },
  {
    title: 'a parameter that is never closed',
    text: '<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call> Hm.',
    content:
      '<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call> Hm.',
  },
  {
    title: 'cut off within a value',
    text: '<tool_call>\n<function=write_file>\n<parameter=content>\nhalf a li',
    content: '<tool_call>\n<function=write_file>\n<parameter=content>\nhalf a li',
  },
  {
    title: 'JSON as the older models write it',
    text: '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>',
    content: '',
    calls: [['now', '{}']],
  },
  {
    title: 'thinking first, values on the tag lines',
    text: '<think>Do it.</think>\n<tool_call><function=get_weather><parameter=city>Oslo</parameter></function></tool_call>',
    reasoning: 'Do it.',
    content: '',
    calls: [['get_weather', '{"city": "Oslo"}']],
  },
  {
    title: 'a function without a name',
    text: '<tool_call>\n<function=>\n</function>\n</tool_call>',
    content: '<tool_call>\n<function=>\n</function>\n</tool_call>',
  },
  {
    title: 'the rest of a call that the prompt opened',
    forcedOpening: '<tool_call>\n<function=',
    text: 'now>\n</function>\n</tool_call>',
    content: '',
    calls: [['now', '{}']],
  },
];

const LLAMA: readonly Omit<WrittenAnswer, 'format'>[] = [
  {
    title: 'a bare call',
    text: '{"name": "get_weather", "parameters": {"city": "Oslo"}}',
    content: '',
    calls: [['get_weather', '{"city": "Oslo"}']],
  },
  {
    title: 'a call behind the tag',
    text: '<|python_tag|>{"type": "function", "name": "get_weather", "parameters": {"city": "São Paulo 🌧"}}',
    content: '',
    calls: [['get_weather', '{"city": "São Paulo 🌧"}']],
  },
  {
    title: 'three calls with semicolons',
    text: '{"name": "now", "parameters": {}}; {"name": "get_weather", "parameters": {"city": "a;b}"}};\n<|python_tag|>{"name": "now", "parameters": {}}',
    content: '',
    calls: [
      ['now', '{}'],
      ['get_weather', '{"city": "a;b}"}'],
      ['now', '{}'],
    ],
  },
  {
    title: 'text before the tag, text behind the call',
    text: 'Sure.\n<|python_tag|>{"name": "now", "parameters": {}}\nAnd so on; fine.',
    content: 'Sure.\nAnd so on; fine.',
    calls: [['now', '{}']],
  },
  {
    title: 'a bare object in the middle of text is text',
    text: 'Call {"name": "now", "parameters": {}} for that.',
    content: 'Call {"name": "now", "parameters": {}} for that.',
  },
  {
    title: 'an answer in JSON',
    text: '{"answer": {"value": 42}, "name": null}\n',
    content: '{"answer": {"value": 42}, "name": null}\n',
  },
  {
    title: 'broken JSON with a whole tag in a string',
    text: '{"name": "now", "parameters": {"a": "<|python_tag|>", oops}} <|python_tag|>{"name": "now"}',
    content: '{"name": "now", "parameters": {"a": "<|python_tag|>", oops}}',
    calls: [['now', '{}']],
  },
  {
    title: 'code behind the tag',
    text: '<|python_tag|>brave_search.call(query="weather <in> Oslo")',
    content: '<|python_tag|>brave_search.call(query="weather <in> Oslo")',
  },
  {
    title: 'cut off',
    text: '<|python_tag|>{"name": "get_weather", "parameters": {"city": "O',
    content: '<|python_tag|>{"name": "get_weather", "parameters": {"city": "O',
  },
  {
    title: 'white space before the brace and nested braces',
    text: '\n\n {"name": "write_file", "parameters": {"owner": {"a": {"b": "}{"}}}}\n',
    content: '',
    calls: [['write_file', '{"owner": {"a": {"b": "}{"}}}']],
  },
  {
    title: 'a tool that was not offered',
    text: '{"name": "unknown", "parameters": {}}',
    content: '{"name": "unknown", "parameters": {}}',
  },
  {
    title: 'thinking first',
    text: '<think>\n{"name": "now"}\n</think>\n\n{"name": "now", "parameters": {}}',
    reasoning: '{"name": "now"}',
    content: '',
    calls: [['now', '{}']],
  },
  {
    title: 'the rest of a call that the prompt opened',
    forcedOpening: '{"name": "get_weather", "parameters":',
    text: ' {"city": "Oslo"}}',
    content: '',
    calls: [['get_weather', '{"city": "Oslo"}']],
  },
];

const DEEPSEEK: readonly Omit<WrittenAnswer, 'format'>[] = [
  {
    title: 'one call in a code block',
    text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Oslo"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    content: '',
    calls: [['get_weather', '{"city": "Oslo"}']],
  },
  {
    title: 'two calls behind text',
    text: 'Both, then.\n\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "北京"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    content: 'Both, then.',
    calls: [
      ['get_weather', '{"city": "北京"}'],
      ['now', '{}'],
    ],
  },
  {
    title: 'the newer form, two calls',
    text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Oslo", "days": 1}<｜tool▁call▁end｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    content: '',
    calls: [
      ['get_weather', '{"city": "Oslo", "days": 1}'],
      ['now', '{}'],
    ],
  },
  {
    title: 'a prompt that opened the thought',
    text: 'I need <｜tool▁calls▁begin｜> now.\n</think>\n\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    reasoning: 'I need <｜tool▁calls▁begin｜> now.',
    content: '',
    calls: [['now', '{}']],
    startsInReasoning: true,
  },
  {
    title: 'a thought that is never closed',
    text: 'Still thinking … 8 < 9',
    reasoning: 'Still thinking … 8 < 9',
    content: '',
    startsInReasoning: true,
  },
  {
    title: 'tags, fences and braces in a string',
    text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>write_file\n```json\n{"content": "```<｜tool▁call▁end｜> }", "owner": {"a": "{"}}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    content: '',
    calls: [['write_file', '{"content": "```<｜tool▁call▁end｜> }", "owner": {"a": "{"}}']],
  },
  {
    title: 'broken JSON, then a good call',
    text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{"a": }\n```<｜tool▁call▁end｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    content: '<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{"a": }\n```<｜tool▁call▁end｜>',
    calls: [['now', '{}']],
  },
  {
    title: 'cut off within the arguments',
    text: 'Ok.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Os',
    content: 'Ok.<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Os',
  },
  {
    title: 'cut off behind the arguments',
    text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{}\n``',
    content: '',
    calls: [['now', '{}']],
  },
  {
    title: 'a forgotten end of one call',
    text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁calls▁end｜>',
    content: '',
    calls: [
      ['now', '{}'],
      ['now', '{}'],
    ],
  },
  {
    title: 'a call without a separator',
    text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>now()<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    content: '<｜tool▁call▁begin｜>now()<｜tool▁call▁end｜>',
  },
  {
    title: 'a tool that was not offered',
    text: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>other<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    content: '<｜tool▁call▁begin｜>other<｜tool▁sep｜>{}<｜tool▁call▁end｜>',
  },
  {
    title: 'the rest of a call that the prompt opened',
    forcedOpening: '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n',
    text: '{"city": "Oslo"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    content: '',
    calls: [['get_weather', '{"city": "Oslo"}']],
  },
];

const PLAIN: readonly Omit<WrittenAnswer, 'format'>[] = [
  { title: 'text', text: '  5 < 6 \n', content: '  5 < 6 \n' },
  {
    title: 'tags of other families',
    text: '<tool_call>{"name": "now"}</tool_call>',
    content: '<tool_call>{"name": "now"}</tool_call>',
  },
  { title: 'a thought', text: '<think>Ü</think>ber', reasoning: 'Ü', content: 'ber' },
  {
    title: 'two thoughts',
    text: '<think>a</think> one\n<think>\nb\n</think>\ntwo',
    reasoning: 'ab',
    content: ' one\ntwo',
  },
  { title: 'an end tag alone', text: 'one </think> two', content: 'one  two' },
  { title: 'a half end tag at the end', text: '<think>one </thi', reasoning: 'one </thi', content: '' },
  { title: 'nothing', text: '', content: '' },
  { title: 'white space', text: ' \n', content: ' \n' },
];

const named = (format: AnswerFormatName, answers: readonly Omit<WrittenAnswer, 'format'>[]): WrittenAnswer[] =>
  answers.map((answer) => ({ ...answer, format }));

export const WRITTEN_ANSWERS: readonly WrittenAnswer[] = [
  ...named('qwen', QWEN),
  ...named('hermes', QWEN.slice(0, 9)),
  ...named('qwen-coder', CODER),
  ...named('llama', LLAMA),
  ...named('deepseek', DEEPSEEK),
  ...named('plain', PLAIN),
];
