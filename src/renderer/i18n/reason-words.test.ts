import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { knownRemedy } from '../app/trouble';
import { problemWords, troubleWords } from './reason-words';
import { refusals, troubles } from './zh/reasons';

const full = { kind: 'refused', code: 'disk_full', message: 'No space is left on /data.' };

describe('problemWords', () => {
  it.each([
    ['a known refusal in Chinese', full, 'zh', '磁盘已满，无法保存。请先腾出空间。（No space is left on /data.）'],
    ['the same in English', full, 'en', 'No space is left on /data.'],
    ['a refusal nobody translated', { ...full, code: 'brand_new' }, 'zh', 'No space is left on /data.'],
    ['a refusal without a code', { ...full, code: null }, 'zh', 'No space is left on /data.'],
    ['no answer at all', { kind: 'unreachable', message: 'fetch failed' }, 'zh', '网关没有响应。（fetch failed）'],
  ] as const)('%s', (_name, problem, language, expected) => {
    expect(problemWords(problem, language)).toBe(expected);
  });

  it('knows the codes that the gateway has, each of them and no other', () => {
    const source = readFileSync(fileURLToPath(new URL('../../gateway/platform/refusal.ts', import.meta.url)), 'utf8');
    const codes = [...source.matchAll(/code: '([a-z_]+)'/g)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(30);
    expect(Object.keys(refusals).sort()).toEqual(codes.sort());
  });
});

describe('troubleWords', () => {
  const line = { kind: 'batch-set-aside-3', message: '16 ratings are set aside.', advice: 'Try again.', remedy: 'x' };

  it('says the cause in Chinese and keeps the particulars', () => {
    expect(troubleWords(line, 'zh')).toEqual({
      ...line,
      message: '有评分因训练器多次失败而被搁置。',
      advice: '16 ratings are set aside. Try again.',
    });
    expect(troubleWords(line, 'en')).toBe(line);
    expect(troubleWords({ ...line, kind: 'brand-new' }, 'zh')).toEqual({ ...line, kind: 'brand-new' });
  });

  it('says sentences that are known in Chinese altogether', () => {
    const message =
      '16 ratings are set aside: batch 3 made the trainer fail 3 times and was set aside; nothing of it was trained (exit code 1).';
    const advice = 'Nothing of it was trained and nothing is lost: try it again, or leave it, on the Training screen.';
    expect(troubleWords({ ...line, message, advice }, 'zh')).toEqual({
      ...line,
      message: '16 个评分被搁置：批次 3 使训练器失败了 3 次，已被搁置；其中没有内容被训练（退出码 1）。',
      advice: '其中没有内容被训练，也没有丢失任何内容：请在训练页重试，或放弃它。',
    });
  });

  it('knows only kinds that have a remedy', () => {
    const unknown = Object.keys(troubles).filter((kind) => kind !== 'batch-set-aside' && knownRemedy(kind) === null);
    expect(unknown).toEqual([]);
  });
});
