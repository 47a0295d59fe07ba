import type { z } from 'zod';
import { toolCallSchema } from '../../../shared/wire/openai-chat';
import type { InteractionView, SessionView, sessionDetailSchema } from '../../../shared/wire/rl';
import type { ToolCall } from '../../data/chat-stream';
import { type Answer, type Block, isSilent, isUnspoken, type SessionFate, type Turn } from './answer';
import type { LiveAnswer } from './live-store';

export type SessionDetail = z.infer<typeof sessionDetailSchema>;

export interface TranscriptSources {
  readonly taskId: string;
  /** sessions of this conversation in any order */
  readonly sessions: readonly SessionView[];
  /** details read so far, by session id */
  readonly details: ReadonlyMap<string, SessionDetail>;
  readonly live: readonly LiveAnswer[];
}

/** What the chat shows: the gateway's record, with answers still running in this window laid over it. */
export function buildTranscript({ taskId, sessions, details, live }: TranscriptSources): Block[] {
  const mine = live.filter((answer) => answer.taskId === taskId);
  const ordered = [...sessions].sort(
    (a, b) => a.created_at.localeCompare(b.created_at) || a.session_id.localeCompare(b.session_id),
  );
  const blocks: Block[] = [];
  const grouped = new Set<string>();
  for (const session of ordered) {
    const companions = ordered.filter(({ group_id }) => group_id === session.group_id);
    const isRound = companions.length > 1 || mine.some(({ groupId }) => groupId === session.group_id);
    if (!isRound) {
      const block = chatBlock(session, details.get(session.session_id), mine);
      if (block.turns.length > 0) blocks.push(block);
    } else if (!grouped.has(session.group_id)) {
      grouped.add(session.group_id);
      const block = roundBlock(session.group_id, companions, details, mine);
      if (block !== null) blocks.push(block);
    }
  }
  const listed = new Set(ordered.map(({ session_id }) => session_id));
  return [...blocks, ...unlistedBlocks(mine, listed, grouped)];
}

/** Answers whose session the gateway's list does not show yet. */
function unlistedBlocks(live: readonly LiveAnswer[], listed: ReadonlySet<string>, grouped: Set<string>): Block[] {
  const blocks: Block[] = [];
  for (const answer of live) {
    if (answer.groupId !== null) {
      if (grouped.has(answer.groupId)) continue;
      grouped.add(answer.groupId);
      const block = roundBlock(answer.groupId, [], new Map(), live);
      if (block !== null) blocks.push(block);
    } else if (answer.sessionId === null || !listed.has(answer.sessionId)) {
      const key = answer.sessionId ?? answer.key;
      blocks.push({
        kind: 'chat',
        key,
        sessionId: answer.sessionId,
        ended: false,
        fate: null,
        turns: [turnOf(answer)],
      });
    }
  }
  return blocks;
}

function chatBlock(
  session: SessionView,
  detail: SessionDetail | undefined,
  live: readonly LiveAnswer[],
): Block & { kind: 'chat' } {
  const here = live.filter(({ sessionId }) => sessionId === session.session_id);
  const turns: Turn[] = [];
  for (const { messages, answer } of answersOfSession(detail, here)) addToTurns(turns, messages, answer);
  const tidy = turns
    .map((turn) => ({ ...turn, answers: withoutFalseStarts(turn.answers.filter((answer) => !isUnspoken(answer))) }))
    .filter(({ answers }) => answers.length > 0);
  return {
    kind: 'chat',
    key: session.session_id,
    sessionId: session.session_id,
    ended: session.state === 'ended',
    fate: fateOf(session),
    turns: tidy,
  };
}

function roundBlock(
  groupId: string,
  sessions: readonly SessionView[],
  details: ReadonlyMap<string, SessionDetail>,
  live: readonly LiveAnswer[],
): Block | null {
  const here = live.filter((answer) => answer.groupId === groupId);
  const found = [
    ...sessions.flatMap(({ session_id }) =>
      answersOfSession(
        details.get(session_id),
        here.filter(({ sessionId }) => sessionId === session_id),
      ),
    ),
    ...here
      .filter(({ sessionId }) => sessionId === null || !sessions.some(({ session_id }) => session_id === sessionId))
      .map((answer) => ({ messages: answer.messages, answer: fromLive(answer) })),
  ];
  const first = found[0];
  if (first === undefined) return null;
  // Columns keep the order they were asked in: a live answer and its later record have the same place.
  const position = new Map(here.map(({ key }, index) => [key, index]));
  const order = (answer: Answer): number => position.get(answer.key) ?? Number.MAX_SAFE_INTEGER;
  const bySession = new Map<string, Answer[]>();
  for (const { answer } of found) {
    const column = answer.sessionId ?? answer.key;
    bySession.set(column, [...(bySession.get(column) ?? []), answer]);
  }
  const answers = [...bySession.values()].flatMap(withoutFalseStarts).sort((a, b) => order(a) - order(b));
  const turn = { key: groupId, messages: first.messages, prompt: promptOf(first.messages), answers };
  const ended = sessions.length > 0 && sessions.every(({ state }) => state === 'ended');
  const fate = sessions.map(fateOf).find((found) => found !== null) ?? null;
  return { kind: 'side-by-side', key: groupId, groupId, ended, fate, turn };
}

interface AnsweredMessages {
  readonly messages: Turn['messages'];
  readonly answer: Answer;
}

function answersOfSession(detail: SessionDetail | undefined, live: readonly LiveAnswer[]): AnsweredMessages[] {
  const records = detail?.interactions ?? [];
  const settled = (id: string | null): InteractionView | undefined =>
    records.find(({ interaction_id, state }) => interaction_id === id && state !== 'running');
  const keys = new Map(live.map(({ interactionId, key }) => [interactionId, key]));
  const shown: AnsweredMessages[] = [];
  let next = 0;
  // Answers asked here that have no record yet stand where they were asked, also when later ones are recorded.
  const showLiveUpTo = (end: number): void => {
    for (; next < end; next += 1) {
      const answer = live[next];
      if (answer === undefined || settled(answer.interactionId) !== undefined) continue;
      shown.push({ messages: answer.messages, answer: fromLive(answer) });
    }
  };
  for (const record of [...records].sort((a, b) => a.created_at.localeCompare(b.created_at))) {
    // A running record without a live answer was asked in another window or an earlier one; it is shown as running.
    if (record.state === 'running' && live.some(isUnderWay)) continue;
    const key = keys.get(record.interaction_id);
    showLiveUpTo(live.findIndex((answer) => answer.key === key));
    shown.push({ messages: readMessages(record.messages), answer: fromRecord(record, key, live) });
  }
  showLiveUpTo(live.length);
  return shown;
}

/** Attempts that never said a word (the engine was away) go once another answer to the same message stands there. */
function withoutFalseStarts(answers: readonly Answer[]): readonly Answer[] {
  const kept = answers.filter((answer) => !isSilent(answer) || !['failed', 'interrupted'].includes(answer.phase));
  return kept.length > 0 ? kept : answers.slice(-1);
}

const isUnderWay = ({ phase }: LiveAnswer): boolean => phase !== 'failed' && phase !== 'interrupted';

function addToTurns(turns: Turn[], messages: Turn['messages'], answer: Answer): void {
  const key = JSON.stringify(messages);
  const index = turns.findIndex((turn) => turn.key === key);
  const turn = turns[index];
  if (turn === undefined) turns.push({ key, messages, prompt: promptOf(messages), answers: [answer] });
  else turns[index] = { ...turn, answers: [...turn.answers, answer] };
}

function turnOf(answer: LiveAnswer): Turn {
  return {
    key: JSON.stringify(answer.messages),
    messages: answer.messages,
    prompt: promptOf(answer.messages),
    answers: [fromLive(answer)],
  };
}

const promptOf = (messages: Turn['messages']): string => messages[messages.length - 1]?.content ?? '';

function readMessages(messages: InteractionView['messages']): Turn['messages'] {
  return messages.map((message) => ({
    role: message.role,
    content: readContent(message.content),
    ...(Array.isArray(message.tool_calls) ? { tool_calls: message.tool_calls } : {}),
  }));
}

/** Text of a message; parts that are text are joined, any other shape is shown as it came. */
function readContent(content: unknown): string {
  if (typeof content === 'string') return content;
  if (content === null || content === undefined) return '';
  if (!Array.isArray(content)) return JSON.stringify(content);
  const texts: unknown[] = content.map((part: unknown) =>
    typeof part === 'object' && part !== null && 'text' in part ? part.text : undefined,
  );
  return texts.every((text) => typeof text === 'string') ? texts.join('') : JSON.stringify(content);
}

function readCalls(message: InteractionView['output_message']): readonly ToolCall[] {
  const calls = toolCallSchema.array().safeParse(message?.tool_calls ?? []);
  if (!calls.success) return [];
  return calls.data.map(({ id, function: { name, arguments: text } }) => ({ id, name, arguments: text }));
}

function fateOf({ end_reason, taken_at, consumer }: SessionView): SessionFate | null {
  if (taken_at != null) return 'taken';
  if (end_reason === 'abort') return 'aborted';
  if (consumer === 'external') return 'external';
  return end_reason === 'idle' ? 'idle' : null;
}

function readReasoning({ output_message: message }: InteractionView): string | null {
  const said = message?.reasoning_content;
  return typeof said === 'string' && said !== '' ? said : null;
}

function fromRecord(record: InteractionView, liveKey: string | undefined, live: readonly LiveAnswer[]): Answer {
  const seen = live.find(({ key }) => key === liveKey);
  const phase = record.state === 'running' ? 'streaming' : record.state;
  return {
    key: liveKey ?? record.interaction_id,
    sessionId: record.session_id,
    interactionId: record.interaction_id,
    phase,
    text: record.output ?? seen?.pieces.map(({ text }) => text).join('') ?? '',
    reasoning: readReasoning(record) ?? (seen?.reasoning || null),
    toolCalls: record.output_message == null ? (seen?.toolCalls ?? []) : readCalls(record.output_message),
    runs: record.version_rle,
    pieces: seen?.pieces ?? null,
    finishReason: record.finish_reason,
    promptTokens: record.prompt_tokens,
    completionTokens: record.completion_tokens,
    problem: record.error === null ? null : { kind: 'refused', status: 0, code: null, message: record.error },
    reward: record.reward,
    ratingState: record.rating_state,
    batchId: record.batch_id,
    trainedVersion: record.version,
    reason: record.reason,
    untrainable: record.untrainable ?? null,
    isReplaced: record.replaced_by != null,
  };
}

function fromLive(live: LiveAnswer): Answer {
  return {
    key: live.key,
    sessionId: live.sessionId,
    interactionId: live.interactionId,
    phase: live.phase,
    text: live.pieces.map(({ text }) => text).join(''),
    reasoning: live.reasoning === '' ? null : live.reasoning,
    toolCalls: live.toolCalls,
    runs: live.runs,
    pieces: live.pieces,
    finishReason: live.finishReason,
    promptTokens: 0,
    completionTokens: live.runs.reduce((sum, [, length]) => sum + length, 0),
    problem: live.problem,
    reward: null,
    ratingState: 'unrated',
    batchId: null,
    trainedVersion: null,
    reason: null,
    untrainable: null,
    isReplaced: false,
  };
}
