import { describe, expect, it } from 'vitest';
import { trajectoryRecordSchema } from '../../shared/wire/trajectory-record';
import { en } from './en';
import { chineseSentence } from './sentence-words';
import { zh } from './zh';
import { parserSentences } from './zh/parser-sentences';
import * as reasons from './zh/reasons';
import { sentences } from './zh/sentences';

type Said = readonly [path: string, text: string];

/** Every text of a language file; those that are made of values are asked with values that are no words. */
function texts(value: unknown, path = ''): Said[] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function') {
    return [['7'], [['7']]].flatMap((given) => {
      try {
        return [[path, String(value(...Array.from({ length: value.length }, () => given[0])))] as const];
      } catch {
        return []; // asked for a list, or for none
      }
    });
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => texts(inner, path === '' ? key : `${path}.${key}`));
}

const ofPrograms: readonly Said[] = [...sentences, ...parserSentences];
const byCode: readonly Said[] = Object.entries({ ...reasons.refusals, ...reasons.problems, ...reasons.troubles });
const own = new Map(texts(zh));
const chinese = [...own, ...ofPrograms, ...byCode];
/** Both languages of everything that is said in both. */
const pairs: readonly Said[] = [...texts(en).map(([path, text]): Said => [text, own.get(path) ?? '']), ...ofPrograms];

describe('one Chinese word for one thing', () => {
  it.each([
    ['dump', /\bdumps?\b/i, 'dump'],
    ['batch', /\bbatch/i, '批次'],
    ['trajectory', /trajector/i, '轨迹'],
    ['prompt', /\bprompt\b/i, '提示词'],
    ['trial', /\btrial\b/i, '试验'],
    ['experiment', /\bexperiment\b/i, '实验'],
    ['folder', /\bfolder\b/i, '文件夹'],
    ['engine', /\bengine\b/i, '推理引擎'],
    ['trainer', /\btrainer\b/i, '训练器'],
    ['gateway', /\bgateway\b/i, '网关'],
    ['weights', /\bweights\b/i, '权重'],
    ['reward', /\breward/i, '奖励'],
    ['advantage', /\badvantage/i, '优势'],
    ['baseline', /\bbaseline/i, '基线'],
    ['staleness', /\bstaleness/i, '陈旧度'],
    ['entropy', /\bentropy/i, '熵'],
    ['session', /\bsessions?\b/i, '会话'],
  ])('%s', (_name, word, expected) => {
    const meant = pairs.filter(([said]) => word.test(said) && !isFileName(said));
    expect(meant.length).toBeGreaterThan(0);
    expect(meant.filter(([, text]) => !text.includes(expected) && !isShort(expected, text))).toEqual([]);
  });

  it.each([
    ['目录', '文件夹'],
    ['轨迹文件', 'dump'],
    ['提问', '提示词'],
    ['标注员', '评审人'],
    ['令牌', 'token'],
  ])('%s is said as %s', (other) => {
    expect(chinese.filter(([, text]) => text.includes(other))).toEqual([]);
  });

  it('nobody says the engine or the length of an answer in two ways', () => {
    expect(chinese.filter(([, text]) => /(?<!推理)引擎/.test(text) && !text.includes('内置引擎'))).toEqual([]);
    expect(zh.trajectories.columns.length).toBe(zh.trajectories.facts.tokens);
  });
});

/** What is cut short where its whole stands beside it. */
function isShort(expected: string, text: string): boolean {
  return expected === '批次' ? /同批|批量/.test(text) : expected === '轨迹' ? /条/.test(text) : false;
}

/** A column of a CSV or a word of a record is no text of the screen. */
const isFileName = (said: string): boolean => /^[a-z]+(_[a-z]+)*$/.test(said);

/** English that Chinese engineers keep, names, units, keys and what stands in files. */
const kept = new Set(
  `token Token logprob logits rollout dump nat ess KL JSON JSONL jsonl PNG SVG CSV HTTP CPU GPU GRPO RLOO AdamW
   Plaudit Electron Chromium Node js Hugging Face Llama AReaL OpenAI URL English README DIR
   Enter Shift Esc id schema spool sha top-p top-k SIMD WebAssembly Unicode admin recover sqlite bad recovered
   config json model safetensors tokenizer index run HEAD chat template jinja llama silu hidden act type rope scaling bias
   weight version bin BF`.split(/\s+/),
);

describe('the Chinese of the studio', () => {
  it('keeps no English but what engineers keep', () => {
    const found = chinese
      .filter(([path]) => !/\.columns\.\d+$|perGroup\.states|emptyExamples|^en$/.test(path))
      .map(([path, text]): readonly [string, readonly string[]] => [
        path,
        (text.match(/[A-Za-z]{2,}(?:-[a-z]+)*/g) ?? []).filter(
          (word) => !kept.has(word) && !word.split('-').every((part) => kept.has(part)),
        ),
      ])
      .filter(([, words]) => words.length > 0);
    expect(found).toEqual([]);
  });

  it('puts no space or comma of English between Chinese words', () => {
    const clumsy = /\p{Script=Han}[,;:?!]|[,;:?!]\p{Script=Han}|\p{Script=Han} \p{Script=Han}/u;
    expect(chinese.filter(([, text]) => clumsy.test(text))).toEqual([]);
  });
});

describe('a line that is no record', () => {
  const messageOf = (text: string): string => {
    try {
      JSON.parse(text);
      return '';
    } catch (error) {
      return (error as Error).message; // JSON.parse throws nothing else
    }
  };

  it.each([
    'hello',
    '',
    '{"a":1',
    '{a:1}',
    '{"a" 1}',
    '{"a":1 "b"}',
    '[1 2]',
    '"abc',
    '"a\u0001b"',
    '"\\x"',
    '"\\u12"',
    '-',
    '1.',
    '1e',
    '{"a":1}x',
    '{"a":tru}',
    '{"a":1,}',
    '01',
    'undefined',
    '{"task_id": 1, "completion": "a long one, of which only the end is shown": hello}',
  ])('says in Chinese what the JSON parser of this runtime says of %j', (line) => {
    const message = messageOf(line);
    expect(message).not.toBe('');
    expect(chineseSentence(`Not JSON: ${message}`)).toMatch(/^不是 JSON：.*\p{Script=Han}/u);
  });

  it.each([
    ['Unexpected token \'h\', "hello" is not valid JSON', '不是 JSON："hello" 中有意外的字符 \'h\''],
    ['Unexpected token h in JSON at position 0', '不是 JSON：位置 0 有意外的字符 h'],
    ["Expected property name or '}' in JSON at position 1 (line 1 column 2)", '不是 JSON：位置 1 应为属性名或“}”'],
  ])('knows what other versions of it say: %s', (message, expected) => {
    expect(chineseSentence(`Not JSON: ${message}`)).toBe(expected);
  });

  const good = {
    task_id: 1,
    sample_idx: 0,
    seqlen: 3,
    prompt_len: 1,
    head_version: 0,
    tail_version: 0,
    reward: 1,
    prompt: 'a',
    completion: 'b',
  };
  it.each([
    ['no task', { task_id: null }],
    ['a number as text', { seqlen: '3' }],
    ['half a token', { seqlen: 1.5 }],
    ['no length', { seqlen: undefined }],
    ['a length past all', { seqlen: 1e300 }],
    ['no text', { prompt: null }],
    ['a segment of an unknown kind', { segments: [{ role: 'x', len: 1, text: '' }] }],
    ['a segment of less than nothing', { segments: [{ role: 'gen', len: -1, text: '' }] }],
    ['segments that are no list', { segments: {} }],
    ['half a run', { version_rle: [[1]] }],
    ['a run and a half', { version_rle: [[1, 2, 3]] }],
  ])('says in Chinese what the schema checker says of %s', (_name, wrong) => {
    const issue = trajectoryRecordSchema.safeParse({ ...good, ...wrong }).error?.issues[0];
    const message = `Not a trajectory record: ${issue?.path.join('.')}: ${issue?.message}.`;
    const said = chineseSentence(message) ?? '';
    expect(said).toMatch(/^不是轨迹记录：[a-z_.0-9]+：\P{L}*\p{Script=Han}/u);
    expect(said).not.toMatch(/expected|received|Invalid|Too/);
  });
});
