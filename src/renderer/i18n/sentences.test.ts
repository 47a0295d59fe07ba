import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { chineseSentence } from './sentence-words';
import { sentences } from './zh/sentences';

const sources = fileURLToPath(new URL('../..', import.meta.url));

/** A source with `{}` for everything that is put into a sentence, and without its comments. */
function readSource(path: string): string {
  const code = readFileSync(join(sources, path), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
  let text = '';
  for (let at = 0; at < code.length; at += 1) {
    if (!code.startsWith('${', at)) {
      text += code[at];
      continue;
    }
    for (let depth = 0; at < code.length; at += 1) {
      if (code[at] === '{') depth += 1;
      if (code[at] === '}') depth -= 1;
      if (depth === 0 && code[at] === '}') break;
    }
    text += '{}';
  }
  return text;
}

const programs = ['gateway', 'supervisor', 'studio', 'main', 'embedded/trainer'];
const everything = programs
  .flatMap((folder) =>
    readdirSync(join(sources, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((name) => name.endsWith('.ts') && !name.includes('.test.'))
  .map(readSource)
  .join('\n');

describe('the sentences known in Chinese', () => {
  it.each(sentences)('%s is still what a program says', (english) => {
    expect(everything).toContain(english.replaceAll('{#}', '{}'));
  });

  it.each(sentences)('%s names in Chinese only what is put in', (english, chinese) => {
    const places = english.match(/\{#?\}/g)?.length ?? 0;
    const used = [...chinese.matchAll(/\{(\d)\}/g)].map(([, index]) => Number(index));
    expect(used.filter((index) => index >= places)).toEqual([]);
    expect(chinese).toMatch(/\p{Script=Han}|：/u);
  });

  it('are each there once', () => {
    const english = sentences.map(([sentence]) => sentence);
    expect(english.filter((sentence, index) => english.indexOf(sentence) !== index)).toEqual([]);
  });
});

/** Where reasons are made that a person reads without any code: all that is said there must be known. */
const makers: readonly (readonly [file: string, part: RegExp])[] = [
  ['gateway/interactions/episode-plan.ts', /const ABORTED[\s\S]*?\n}/],
  ['gateway/interactions/episode-plan.ts', /const NOT_RATED.*/],
  ['gateway/interactions/provenance.ts', /export function findEvidenceProblem[\s\S]*/],
  ['gateway/staleness/token-age.ts', /return `too stale.*/],
  ['gateway/trainer/settle-batch.ts', /const ROW_REASONS[\s\S]*/],
  ['gateway/trainer/settle-batch.ts', /export function contradictionOf[\s\S]*?\n}/],
  ['gateway/trainer/poison-watch.ts', /export function blameBatch[\s\S]*?\n}/],
  ['gateway/store/database-error.ts', /function messageOf[\s\S]*/],
  ['gateway/rollouts/dump-library.ts', /async #refuse[\s\S]*/],
  ['gateway/rollouts/parse-record.ts', /export function parseRecord[\s\S]*/],
  ['gateway/actions/store-trouble.ts', /function sentences[\s\S]*?\n}\n/],
  ['gateway/actions/advance-training.ts', /#report\([\s\S]*?\);/g],
  ['gateway/backends/sglang/sglang-backend.ts', /function detailOf[\s\S]*?\n}/],
  ['gateway/backends/sglang/sglang-backend.ts', /#unavailable\(lastTrouble: [\s\S]*?\n {2}}/],
  ['supervisor/trainer-command.ts', /const MEANING[\s\S]*/],
  ['supervisor/embedded-engine-command.ts', /function explainEngineExit[\s\S]*/],
];
const known = new Set(sentences.map(([english]) => english.replaceAll('{#}', '{}')));

describe('every reason without a code', () => {
  it.each(makers)('of %s, %s', (file, part) => {
    const code = readSource(file).match(part)?.join('\n') ?? '';
    const said = [...code.matchAll(/'((?:[^'\\\n]|\\.)*)'|`([^`]*)`/g)]
      .map(([, plain, template]) => plain ?? template ?? '')
      .filter((text) => /[a-z]{2} [a-z{]/.test(text) && !/^supervisor: /.test(text));
    expect(said).not.toEqual([]);
    expect(said.filter((text) => !known.has(text) && !known.has(text.trim()))).toEqual([]);
  });
});

describe('chineseSentence', () => {
  it.each([
    ['not rated', '没有评分'],
    [
      'too stale: sampled by v1 to v3, now v9, limit 4; the rating still counts for earlier turns',
      '过于陈旧：由 v1 至 v3 采样，现为 v9，上限 4；该评分对之前的轮次仍然有效',
    ],
    ['its evidence is not sound: Nothing was sampled.', '采样记录不可靠：没有采样到任何 token。'],
    [
      'The trainer ended with exit code 15: it could not write to the disk; free some space. Starting it again in 2 s.',
      '训练器已退出，退出码 15：无法写入磁盘，请腾出空间。2 秒后重新启动。',
    ],
    ['The trainer ended with exit code 1. Given up after 5 restarts.', '训练器已退出，退出码 1。重启 5 次后放弃。'],
    ['engine was not ready after 60 s.', '推理引擎在 60 秒后仍未就绪。'],
    [
      'No inference engine answered within 120 s. Last trouble: connect ECONNREFUSED. See the Training screen for its log, then try again.',
      '推理引擎在 120 秒内没有回应。最近的问题：“connect ECONNREFUSED”。请在训练页查看其日志，然后重试。',
    ],
    [
      'The database was damaged. Saved were 12 sessions, 40 answers and 31 ratings. Every row could be read. 2 ratings are left out of training, because nobody can tell whether they were trained before.',
      '数据库曾经损坏。已救回 12 个会话、40 个回答和 31 个评分。所有行都可读取。2 个评分不再用于训练，因为无法得知它们是否已经训练过。',
    ],
    [
      'run.json is missing from a run folder that has already trained. No batch is formed meanwhile, so that no rating is trained twice.',
      '运行文件夹已经训练过，却缺少 run.json。在此期间不组成批次，以免评分被训练两次。',
    ],
    [
      'The run folder cannot be used: EACCES: permission denied, open ‘/a. B’.',
      '运行文件夹无法使用：EACCES: permission denied, open ‘/a. B’。',
    ],
    [
      '/data/x.jsonl is not a rollout dump. Not JSON: Unexpected token',
      '/data/x.jsonl 不是 rollout dump。不是 JSON：Unexpected token',
    ],
  ])('%s', (english, chinese) => {
    expect(chineseSentence(english)).toBe(chinese);
  });

  it.each(['', 'Something new.', 'not rated yet', 'Something new. Nothing was sampled.', ' '])(
    'does not guess at %j',
    (text) => {
      expect(chineseSentence(text)).toBeNull();
    },
  );

  it('gives up on what is too long or nested too deeply', () => {
    expect(chineseSentence(`The model cannot be loaded: ${'x'.repeat(10_000)}`)).toBeNull();
    const nested = 'The model cannot be loaded: '.repeat(50);
    expect(chineseSentence(`${nested}why`)).toContain('模型无法加载：模型无法加载：');
    expect(chineseSentence(`${nested}why`)).toMatch(/The model cannot be loaded: why$/);
  });
});
