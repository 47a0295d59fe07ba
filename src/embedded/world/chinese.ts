import { type Content, type Expectation, type Question, type Topic, words } from './question';
import { integer, pick } from './random';

/** said, short answer, sentence, what shows that it fits */
const PHRASES: readonly (readonly [readonly string[], string, string, readonly string[]])[] = [
  [['你好', '你好！', '您好', '嗨'], '你好', '你好，很高兴见到你', ['你好']],
  [['谢谢', '谢谢你', '谢谢！'], '不客气', '不用客气', ['客气']],
  [['再见', '再见！', '拜拜'], '再见', '再见，下次见', ['再见']],
  [['你是谁？', '你是谁', '你叫什么名字？'], 'Plaudit', '我是Plaudit小模型', ['Plaudit']],
  [['你好吗？', '你好吗'], '我很好', '我很好，你呢', ['很好']],
];

const THINGS: readonly (readonly [string, string])[] = [
  ['天空', '蓝色'],
  ['草', '绿色'],
  ['雪', '白色'],
  ['煤', '黑色'],
  ['血', '红色'],
  ['香蕉', '黄色'],
];

export const chinesePhrase: Topic = (random) => {
  const [said, short, sentence, fits] = pick(random, PHRASES);
  return chinese(pick(random, said), { short, sentence }, { short: '七', sentence: '七个土豆' }, words(fits));
};

export const chineseSum: Topic = (random) => {
  const a = integer(random, 0, 10);
  const b = integer(random, 0, 10);
  const answer = (n: number): Content => ({
    short: String(n),
    sentence: pick(random, [`等于${n}`, `${a}+${b}等于${n}`]),
  });
  const text = pick(random, [`${a}+${b}等于几？`, `${a}+${b}等于几`, `${a}加${b}等于几？`, `${a}加${b}是多少？`]);
  return chinese(text, answer(a + b), answer(a + b + integer(random, 1, 3)), { kind: 'number', value: a + b });
};

export const chineseColour: Topic = (random) => {
  const [thing, name] = pick(random, THINGS);
  const all = THINGS.map(([, c]) => c).filter((c) => c !== name);
  const answer = (c: string): Content => ({ short: c, sentence: `${thing}是${c}` });
  const text = pick(random, [`${thing}是什么颜色？`, `${thing}是什么颜色的？`, `${thing}什么颜色`]);
  return chinese(text, answer(name), answer(pick(random, all)), words([name], all));
};

function chinese(text: string, right: Content, wrong: Content, expects: Expectation): Question {
  return { topic: 'chinese', language: 'zh', text, followUp: null, right, wrong, expects };
}
