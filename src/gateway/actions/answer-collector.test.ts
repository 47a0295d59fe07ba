import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { AnswerDelta } from '../../shared/domain/answer';
import { AnswerMessageBuilder } from '../answers/answer-message-builder';
import { selectAnswerFormat } from '../answers/select-format';
import { openModelFolder } from '../platform/model-files';
import { writeTinyTokenizer } from '../testing/test-gateway';
import { callText, toolModel } from '../testing/tool-model';
import { loadChatTokenizer } from '../tokenizer/huggingface-tokenizer';
import { AnswerCollector, type CollectorOptions } from './answer-collector';

const folder = mkdtempSync(join(tmpdir(), 'collector-'));
writeTinyTokenizer(join(folder, 'tiny'), toolModel);
const tokenizer = loadChatTokenizer(openModelFolder(join(folder, 'tiny')));
const format = selectAnswerFormat('auto', tokenizer.chatTemplate);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ANSWER = `<think>\nhm\n</think>\n\nGrüße 😀.\n${callText('add', { a: 1 })}\n${callText('add', { a: 2 })}`;

function collect(options: Partial<CollectorOptions>, text: string, cuts: readonly number[]) {
  let calls = 0;
  const collector = new AnswerCollector(tokenizer, {
    stopStrings: [],
    parser: format.createParser({
      tools: [{ name: 'add', description: null, parameters: null }],
      startsInReasoning: false,
      forcedOpening: '',
      newToolCallId: () => {
        calls += 1;
        return `call_${calls}`;
      },
    }),
    markers: format.markers,
    endsAfterToolCall: false,
    topLogprobs: null,
    ...options,
  });
  const ids = tokenizer.encode(text);
  const places = [...new Set([0, ...cuts.map((cut) => cut % (ids.length + 1)), ids.length])].sort((a, b) => a - b);
  const told: AnswerDelta[] = [];
  for (const [index, from] of places.slice(0, -1).entries()) {
    const tokenIds = ids.slice(from, places[index + 1]);
    const delta = { tokenIds, logprobs: tokenIds.map(() => -1), versions: tokenIds.map(() => 0) };
    if (!collector.isStopped) told.push(...collector.add(delta));
  }
  told.push(...collector.finish());
  const heard = new AnswerMessageBuilder();
  heard.add(told);
  return { collector, ids, told, heard: heard.message() };
}

const cutsOf = fc.array(fc.nat(400), { maxLength: 30 });

describe('AnswerCollector', () => {
  it('tells the same answer and keeps the same record, however the engine groups its tokens', () => {
    const whole = collect({}, ANSWER, []);
    expect(whole.heard).toMatchObject({
      reasoning: 'hm',
      toolCalls: [{ arguments: '{"a": 1}' }, { arguments: '{"a": 2}' }],
    });
    fc.assert(
      fc.property(cutsOf, (cuts) => {
        const { collector, heard, ids } = collect({}, ANSWER, cuts);
        expect(heard).toEqual(whole.heard);
        expect(collector.message()).toEqual(heard);
        expect(collector.output().tokenIds).toEqual(ids);
        expect(collector.sentText).toBe(ANSWER);
        expect(collector.decodedText()).toBe(ANSWER);
        expect(collector.reasoningTokens).toBe(whole.collector.reasoningTokens);
      }),
    );
  });

  it('cuts at a stop string over every grouping, and keeps the tokens up to the one that completed it', () => {
    fc.assert(
      fc.property(cutsOf, (cuts) => {
        const { collector, heard } = collect({ stopStrings: ['😀.', 'never'] }, ANSWER, cuts);
        expect(heard).toEqual({ content: 'Grüße ', reasoning: 'hm', toolCalls: [] });
        expect(collector.stopString).toBe('😀.');
        expect(collector.decodedText()).toBe(ANSWER.slice(0, ANSWER.indexOf('😀.') + '😀.'.length));
        expect(collector.sentText).toBe(ANSWER.slice(0, ANSWER.indexOf('😀.')));
      }),
    );
  });

  it('ends with the first call over every grouping, also while a stop string could still begin', () => {
    fc.assert(
      fc.property(cutsOf, fc.constantFrom([], ['>never']), (cuts, stopStrings) => {
        const { collector, heard } = collect({ endsAfterToolCall: true, stopStrings }, ANSWER, cuts);
        expect(heard.toolCalls).toMatchObject([{ id: 'call_1', name: 'add', arguments: '{"a": 1}' }]);
        expect(collector.decodedText()).toBe(collector.sentText);
        expect(ANSWER.startsWith(collector.sentText)).toBe(true);
        expect(collector.sentText).not.toContain('2}');
      }),
    );
  });

  it('tells text of several tokens at once', () => {
    const { told } = collect({}, 'a few words', []);
    expect(told).toEqual([{ kind: 'content', text: 'a few words' }]);
  });

  it.each([
    ['an id behind the vocabulary', { tokenIds: [259] }, /vocabulary/],
    ['a negative id', { tokenIds: [-1] }, /vocabulary/],
    ['a missing log-prob', { logprobs: [] }, /0 log-probs/],
    ['a version too many', { versions: [0, 0] }, /2 versions/],
  ])('says why a delta is no answer: %s', (_reason, part, expected) => {
    const { collector } = collect({}, '', []);
    expect(collector.findProblem({ tokenIds: [1], logprobs: [-1], versions: [0], ...part })).toMatch(expected);
  });
});
