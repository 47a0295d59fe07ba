import { describe, expect, it } from 'vitest';
import type { TrajectoryRecord } from '../../shared/wire/trajectory-record';
import { recordExcerpt } from './record-excerpt';

const excerptOf = (prompt: string, completion = '') => recordExcerpt({ prompt, completion } as TrajectoryRecord);

const turn = (role: string, text: string) => `<|im_start|>${role}\n${text}<|im_end|>\n`;

describe('recordExcerpt', () => {
  it.each([
    ['ChatML', `${turn('system', 'Be brief.')}${turn('user', 'Hello!')}<|im_start|>assistant\n`, 'Hello!'],
    [
      'the last of several questions',
      `${turn('user', 'Hello!')}${turn('assistant', 'Hi.')}${turn('user', 'And now?')}<|im_start|>assistant\n`,
      'And now?',
    ],
    [
      'a tool’s reply after the question',
      `${turn('user', 'Weather?')}${turn('assistant', 'call')}${turn('tool', '21 °C')}`,
      'Weather?',
    ],
    [
      'Llama 3',
      '<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHi there<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n',
      'Hi there',
    ],
    ['Gemma', '<bos><start_of_turn>user\nHi there<end_of_turn>\n<start_of_turn>model\n', 'Hi there'],
    ['Phi', '<|user|>\nHi there<|end|>\n<|assistant|>\n', 'Hi there'],
    ['DeepSeek', '<｜begin▁of▁sentence｜><｜User｜>Hi there<｜Assistant｜><think>\n', 'Hi there'],
    ['Mistral', '<s>[INST] Hi there [/INST]', 'Hi there'],
    ['a prompt without a template', 'Q: 2 + 2?\nA:', 'Q: 2 + 2? A:'],
    ['a mark of an unknown template', '<|header|>Hi there<|stop|>', 'Hi there'],
    ['an empty prompt', '', ''],
  ])('finds the question of %s', (_name, prompt, question) => {
    expect(excerptOf(prompt).question).toBe(question);
  });

  it.each([
    ['drops the end mark of an answer', 'Green.<|im_end|>', 'Green.'],
    ['puts lines on one', 'One.\n\n  Two.<|im_end|>', 'One. Two.'],
    ['keeps what only looks like a mark', 'a <|b and c|> d', 'a <|b and c|> d'],
    ['has nothing of an answer that only ended', '<|im_end|>', ''],
  ])('%s', (_name, completion, answer) => {
    expect(excerptOf('', completion).answer).toBe(answer);
  });

  it('cuts a long text between characters', () => {
    const { question, answer } = excerptOf(`${turn('user', '🙂'.repeat(500_000))}`, 'x'.repeat(161));
    expect(question).toBe(`${'🙂'.repeat(160)}…`);
    expect(answer).toBe(`${'x'.repeat(160)}…`);
    expect(excerptOf('', 'x'.repeat(160)).answer).toBe('x'.repeat(160));
  });
});
