// Writes assets/sample-dump: a small rollout dump in AReaL's layout for looking around before anything was trained.
// Every row is invented by this script (no model produced it); the same seed always gives the same bytes.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const VERSIONS = 5;
const MEMBERS = 6;
const START = Date.UTC(2026, 0, 5, 9, 0, 0);
const USER = '<|im_start|>user\n';
const ASSISTANT = '<|im_start|>assistant\n';
const END = '<|im_end|>';

export function makeSampleDump(target, seed = 20_260_105) {
  const random = seeded(seed);
  rmSync(target, { recursive: true, force: true });
  let rows = 0;
  for (let version = 0; version < VERSIONS; version += 1) {
    TASKS.forEach((task, k) => {
      const lines = groupOf(task, version, k, random);
      rows += lines.length;
      if (version === 2 && k === 0) lines.splice(3, 0, '{"task_id": "sum-0", "sample_idx": 3, "seqlen": 2');
      write(join(target, 'demo', 'sample', 'rollout', String(version), `${task.id}.jsonl`), lines);
    });
  }
  const lines = TASKS.slice(0, 3).map((task, k) => line(evaluationRow(task, k, random)));
  write(join(target, 'demo', 'sample', 'eval-rollout', '4', 'eval.jsonl'), lines);
  write(join(target, 'demo', 'old-format', 'rollout', '1', '17.jsonl'), oldFormat());
  writeFileSync(join(target, 'README.md'), README);
  return rows + lines.length + oldFormat().length;
}

const README = `# Sample dump

About 300 invented rows in the layout of an AReaL rollout dump, written by \`scripts/make-sample-dump.mjs\`; no model
produced them. It holds five versions, answers sampled across a weight update, conversations with a tool result between
two answers, groups whose rewards are all equal, Chinese and English, rows of an older format, and one line that is
broken on purpose.
`;

const sum = (a, b) => ({
  id: `sum-${a}-${b}`,
  prompt: `What is ${a} + ${b}?`,
  good: [`${a} + ${b} is ${a + b}.`, `The sum is ${a + b}. Anything else?`],
  bad: [`${a} + ${b} is ${a + b + 1}.`, 'I like numbers a lot, numbers are nice.'],
});
const zhSum = (a, b) => ({
  id: `zh-sum-${a}-${b}`,
  prompt: `${a} 加 ${b} 等于多少？`,
  good: [`${a} 加 ${b} 等于 ${a + b}。`, `答案是 ${a + b}。`],
  bad: [`等于 ${a + b - 1} 吧。`, '这个问题很难，我不知道。'],
});
const TASKS = [
  { ...sum(12, 7), id: 'sum-0' },
  sum(3, 4),
  zhSum(5, 8),
  zhSum(20, 6),
  {
    id: 'colour-sky',
    prompt: 'What colour is the sky at noon?',
    good: ['On a clear day the sky is blue.', 'Blue.'],
    bad: ['The sky is green.', 'Colours are a matter of taste.'],
  },
  {
    id: 'zh-colour-leaf',
    prompt: '夏天的树叶是什么颜色？',
    good: ['夏天的树叶是绿色的。', '绿色。'],
    bad: ['树叶是蓝色的。', '我喜欢夏天！！！'],
  },
  {
    id: 'opinion-tea',
    prompt: 'Tea or coffee? One sentence.',
    good: ['Tea, because it leaves room for a second cup.', 'Coffee, but only before noon.'],
    bad: ['Tea coffee tea coffee tea coffee tea.', 'As a language model I have no cup 😀.'],
  },
  {
    id: 'yes-no-fish',
    prompt: 'Can fish climb trees?',
    good: ['No, they cannot.', 'No.'],
    bad: ['Yes, every morning.', 'Trees are tall and fish are wet.'],
  },
  {
    id: 'weather-oslo',
    prompt: 'What is the weather in Oslo?',
    tool: { call: '<tool_call>{"name": "weather", "arguments": {"city": "Oslo"}}</tool_call>', result: '4C, rain' },
    good: ['It is 4 degrees with rain in Oslo.'],
    bad: ['It is sunny and 30 degrees.'],
  },
  {
    id: 'zh-weather-hangzhou',
    prompt: '杭州今天天气怎么样？',
    tool: { call: '<tool_call>{"name": "weather", "arguments": {"city": "杭州"}}</tool_call>', result: '18C，多云' },
    good: ['杭州今天多云，18 度。'],
    bad: ['杭州今天下雪。'],
  },
];

function groupOf(task, version, taskIndex, random) {
  // Two groups of each version carry no signal: all members alike, as happens with tasks too easy or too hard.
  const forced = taskIndex === version ? 1 : taskIndex === version + 4 ? -1 : null;
  return Array.from({ length: MEMBERS }, (_, member) => {
    const isGood = forced === null ? random() < 0.25 + 0.15 * version : forced === 1;
    const minute = (version * TASKS.length + taskIndex) * MEMBERS + member;
    return line(row(task, { version, member, isGood, reward: isGood ? 1 : -1, minute, random }));
  });
}

function evaluationRow(task, k, random) {
  return row(task, { version: 4, member: k, isGood: true, reward: 1, minute: 400 + k, random });
}

/** @returns one record, AReaL's fields first */
function row(task, { version, member, isGood, reward, minute, random }) {
  const answer = pick(isGood ? task.good : task.bad, random);
  const parts = [['prompt', `${USER}${task.prompt}${END}\n${ASSISTANT}`]];
  if (task.tool !== undefined) {
    parts.push(['gen', `${task.tool.call}${END}`]);
    parts.push(['context', `\n${USER}<tool_response>${task.tool.result}</tool_response>${END}\n${ASSISTANT}`]);
  }
  parts.push(['gen', `${answer}${END}`]);
  const segments = parts.map(([role, text]) => ({ role, len: tokens(text).length, text }));
  const output = segments.filter(({ role }) => role === 'gen').flatMap(({ text }) => tokens(text));
  const runs = runsOf(output.length, version, random);
  const seqlen = segments.reduce((total, { len }) => total + len, 0);
  const group = `${task.id}-v${version}`;
  return {
    task_id: task.id,
    sample_idx: member,
    seqlen,
    prompt_len: segments[0].len,
    head_version: runs[0][0],
    tail_version: runs.at(-1)[0],
    version_rle: runs,
    reward: float(reward),
    prompt: segments[0].text,
    completion: segments.slice(1).reduce((text, segment) => text + segment.text, ''),
    ...(task.tool === undefined ? {} : { segments }),
    original_reward: float(reward),
    session_id: `${group}-${member}`,
    interaction_id: `chatcmpl-${Array.from({ length: 29 }, () => Math.floor(random() * 16).toString(16)).join('')}`,
    group_id: group,
    source: 'human',
    rater_id: member % 2 === 0 ? 'rater-a' : 'rater-b',
    turn: task.tool === undefined ? 0 : 1,
    finish_reason: 'stop',
    temperature: float(1),
    created_at: new Date(START + minute * 60_000).toISOString(),
    output_token_texts: output,
  };
}

/** A third of the answers after version 0 were running while the weights changed. */
function runsOf(length, version, random) {
  if (version === 0 || random() > 1 / 3) return [[version, length]];
  const before = 1 + Math.floor(random() * (length - 1));
  return [
    [version - 1, before],
    [version, length - before],
  ];
}

/** Before AReaL wrote version runs: head is the minimum over prompt tokens too, so −1. */
function oldFormat() {
  return [0, 1, 2].map((member) =>
    line({
      task_id: 17,
      sample_idx: member,
      seqlen: 21,
      prompt_len: 13,
      head_version: -1,
      tail_version: 1,
      reward: float(member === 0 ? 1 : 0),
      prompt: `${USER}Name a prime below ten.${END}\n${ASSISTANT}`,
      completion: `${['Seven is a prime.', 'Nine.', 'Eight, I think.'][member]}${END}`,
    }),
  );
}

/** Stand-in for a tokenizer: special tokens whole, Latin words with the space before them, other characters one by one. */
function tokens(text) {
  return text.match(/<\|[a-z_]+\|>| ?[A-Za-z]+|[\p{L}\p{N}]|\s|[^\p{L}\p{N}\s]/gu) ?? [];
}

class Float {
  constructor(value) {
    this.value = value;
  }
}
const float = (value) => new Float(value);

/** Python's json.dumps: `", "` and `": "`, floats with a point, non-ASCII escaped. */
function line(value) {
  if (value instanceof Float) return Number.isInteger(value.value) ? `${value.value}.0` : String(value.value);
  if (Array.isArray(value)) return `[${value.map(line).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, item]) => `${line(key)}: ${line(item)}`)
      .join(', ')}}`;
  return JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function write(path, lines) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${lines.join('\n')}\n`);
}

function pick(list, random) {
  return list[Math.floor(random() * list.length)];
}

/** A small seeded generator (xorshift32): numbers in [0, 1). */
function seeded(seed) {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const target = join(dirname(fileURLToPath(import.meta.url)), '..', 'assets', 'sample-dump');
  process.stdout.write(`${makeSampleDump(target)} rows in ${target}\n`);
}
