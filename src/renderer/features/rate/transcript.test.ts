import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { InteractionView, SessionView } from '../../../shared/wire/rl';
import { interactionOf, sessionOf } from '../../testing/fake-wire';
import { answersOf } from './answer';
import type { LiveAnswer } from './live-store';
import { buildTranscript } from './transcript';

const user = (content: string) => ({ role: 'user', content });
const record = (id: string, session: string, text: string, nth: number, rest: Partial<InteractionView> = {}) => ({
  ...interactionOf(id, session, [user(text)], nth),
  state: 'finished' as const,
  output: `to ${text}`,
  ...rest,
});
const live = (key: string, sessionId: string | null, text: string, rest: Partial<LiveAnswer> = {}): LiveAnswer => ({
  key,
  taskId: 'task',
  groupId: null,
  sessionId,
  sessionKey: 'k',
  interactionId: null,
  messages: [user(text)],
  phase: 'streaming',
  pieces: [{ version: 1, text: 'so far' }],
  reasoning: '',
  toolCalls: [],
  runs: [[1, 1]],
  finishReason: null,
  problem: null,
  ...rest,
});

function build(sessions: readonly SessionView[], records: readonly InteractionView[], lives: readonly LiveAnswer[]) {
  const details = new Map(
    sessions.map((session) => [
      session.session_id,
      { ...session, interactions: records.filter(({ session_id }) => session_id === session.session_id) },
    ]),
  );
  return buildTranscript({ taskId: 'task', sessions, details, live: lives });
}
const keysOf = (blocks: ReturnType<typeof build>) => blocks.map((block) => answersOf(block).map(({ key }) => key));

const first = sessionOf('s1', 'task', undefined, 1);
const second = sessionOf('s2', 'task', undefined, 2);

describe('buildTranscript', () => {
  it('reads thoughts and calls from the answer as the gateway keeps it', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } };
    const message = { role: 'assistant', content: '', reasoning_content: 'I add.', tool_calls: [call] };
    const blocks = build([first], [record('a', 's1', 'A', 1, { output: '', output_message: message })], []);
    expect(answersOf(blocks[0]!)[0]).toMatchObject({
      reasoning: 'I add.',
      toolCalls: [{ id: 'c1', name: 'add', arguments: '{"a":1}' }],
    });
  });

  it('keeps a broken-off answer that only thought or called, for it was not silent', () => {
    const thought = { role: 'assistant', content: '', reasoning_content: 'Hm.' };
    const broken = { state: 'interrupted' as const, output: '', output_message: thought };
    const blocks = build([first], [record('a', 's1', 'A', 1, broken), record('b', 's1', 'A', 2)], []);
    expect(keysOf(blocks)).toEqual([['a', 'b']]);
  });

  it.each([
    ['nothing', {}, null],
    ['an ordinary end', { end_reason: 'client' as const }, null],
    ['an abort', { end_reason: 'abort' as const }, 'aborted'],
    ['a long pause', { end_reason: 'idle' as const }, 'idle'],
    ['a trainer outside', { consumer: 'external' as const }, 'external'],
    ['a trainer outside that has it', { consumer: 'external' as const, taken_at: '2026-01-01T00:00:00Z' }, 'taken'],
  ])('tells what became of a session: %s', (_name, change, fate) => {
    expect(build([{ ...first, ...change }], [record('a', 's1', 'A', 1)], [])[0]!.fate).toBe(fate);
  });

  it('orders sessions by time, whatever the order of the list', () => {
    const blocks = build([second, first], [record('a', 's1', 'A', 1), record('b', 's2', 'B', 2)], []);
    expect(keysOf(blocks)).toEqual([['a'], ['b']]);
  });

  it('shows an answer that streams here once, and keeps its place and key when its record arrives', () => {
    const streaming = live('x', 's1', 'A', { interactionId: 'a' });
    const running = record('a', 's1', 'A', 1, { state: 'running', output: null });
    expect(keysOf(build([first], [running], [streaming]))).toEqual([['x']]);
    const blocks = build([first], [record('a', 's1', 'A', 1)], [{ ...streaming, phase: 'finished' }]);
    expect(keysOf(blocks)).toEqual([['x']]);
    expect(answersOf(blocks[0]!)[0]).toMatchObject({ interactionId: 'a', text: 'to A', phase: 'finished' });
  });

  it('shows an answer that another window asked for as running', () => {
    const blocks = build([first], [record('a', 's1', 'A', 1, { state: 'running', output: null })], []);
    expect(answersOf(blocks[0]!)[0]).toMatchObject({ key: 'a', phase: 'streaming' });
  });

  it('shows an answer whose session the list does not hold yet', () => {
    expect(keysOf(build([], [], [live('x', null, 'A'), live('y', 's9', 'B')]))).toEqual([['x'], ['y']]);
  });

  it('leaves a failed message where it was sent when later ones are answered', () => {
    const lives = [live('x', 's1', 'A', { phase: 'failed', pieces: [] }), live('y', 's1', 'B', { interactionId: 'b' })];
    expect(keysOf(build([first], [record('b', 's1', 'B', 2)], lives))).toEqual([['x', 'y']]);
  });

  it('drops attempts that never said a word once the message is answered, and keeps a lone one', () => {
    const failed = record('f', 's1', 'A', 1, { state: 'failed', output: null, error: 'engine away' });
    expect(keysOf(build([first], [failed], []))).toEqual([['f']]);
    expect(keysOf(build([first], [failed, record('a', 's1', 'A', 2)], []))).toEqual([['a']]);
    expect(keysOf(build([first], [failed], [live('x', 's1', 'A')]))).toEqual([['x']]);
  });

  it('does not draw what was stopped before its first token, whose message went back', () => {
    const program = readFileSync('src/gateway/actions/run-choice.ts', 'utf8');
    const [, error = ''] = /'(The answer was stopped before its first token[^']*)'/.exec(program) ?? [];
    const stopped = record('f', 's1', 'A', 1, { state: 'failed', output: null, completion_tokens: 0, error });
    expect(error).not.toBe('');
    expect(keysOf(build([first], [stopped], []))).toEqual([]);
    expect(keysOf(build([first], [stopped, record('b', 's1', 'B', 2)], []))).toEqual([['b']]);
  });

  it('puts answers to the same messages into one turn', () => {
    const [block] = build([first], [record('a', 's1', 'A', 1), record('b', 's1', 'A', 2)], []);
    expect(block?.kind === 'chat' && block.turns.map(({ answers }) => answers.length)).toEqual([2]);
  });

  it('draws sessions of one group as one round, in the order they were asked, ended when all are', () => {
    const group = [1, 2].map((nth) => sessionOf(`g${nth}`, 'task', 'group', nth));
    const records = [record('a', 'g1', 'A', 1), record('b', 'g2', 'A', 2)];
    // The second column was asked first here: the live order decides.
    const lives = [
      live('second', 'g2', 'A', { groupId: 'group', interactionId: 'b' }),
      live('first', 'g1', 'A', { groupId: 'group', interactionId: 'a' }),
    ];
    const [open] = build(group, records, lives);
    expect(open).toMatchObject({ kind: 'side-by-side', ended: false });
    expect(keysOf([open!])).toEqual([['second', 'first']]);
    const ended = group.map((session) => ({ ...session, state: 'ended' as const }));
    expect(build(ended, records, [])[0]).toMatchObject({ kind: 'side-by-side', ended: true });
  });

  it('ignores answers of another conversation', () => {
    expect(build([], [], [live('x', null, 'A', { taskId: 'other' })])).toEqual([]);
  });
});
