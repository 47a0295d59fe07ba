import type { SessionView } from '../../../shared/wire/rl';
import { type Answer, type Block, isRunning, type Turn } from './answer';
import { addLive, type LiveAnswer, liveAnswer, removeLive } from './live-store';
import { type Columns, randomWord, selectAnswer } from './rate-store';
import { isEnding } from './rating-store';
import type { Sender } from './sender';

export interface Place {
  readonly taskId: string;
  readonly blocks: readonly Block[];
  /** to find the key of an open session again */
  readonly sessions: readonly SessionView[];
}

type Where = Pick<LiveAnswer, 'sessionId' | 'sessionKey' | 'groupId'>;
const newSession: Where = { sessionId: null, sessionKey: null, groupId: null };

/** Sends a message: on in the open session, or to a new one; side by side to as many new ones as there are columns. */
export function askMessage(
  place: Place,
  text: string,
  columns: Columns,
  selected: string | null,
  sender: Sender,
): void {
  const user = { role: 'user', content: text };
  if (columns > 1) {
    const groupId = `${place.taskId}-g${randomWord()}`;
    for (let column = 0; column < columns; column += 1) {
      start(place, [user], { ...newSession, groupId }, sender, column === 0);
    }
    return;
  }
  const open = openSession(place);
  const history = open === null ? [] : historyOf(open.block, selected);
  start(place, [...history, user], open?.where ?? newSession, sender, true);
}

/** One more answer to the same messages, beside those there are. */
export function askAgain(place: Place, block: Block, turn: Turn, sender: Sender): void {
  start(place, turn.messages, whereOf(place, block), sender, true);
}

/** Asks a failed answer again; `fresh` in a new session with nothing but the message itself. */
export function retryAnswer(
  place: Place,
  block: Block,
  turn: Turn,
  answer: Answer,
  fresh: boolean,
  sender: Sender,
): void {
  const groupId = block.kind === 'side-by-side' ? block.groupId : null;
  const live = liveAnswer(answer.key);
  if (live !== undefined) removeLive(live.key);
  const last = turn.messages[turn.messages.length - 1];
  const messages = fresh && last !== undefined ? [last] : turn.messages;
  const where = fresh ? { ...newSession, groupId } : { ...whereOf(place, block, answer), groupId };
  start(place, messages, where, sender, true);
}

function start(place: Place, messages: LiveAnswer['messages'], where: Where, sender: Sender, select: boolean): void {
  const key = `asked-${randomWord()}${randomWord()}`;
  addLive({
    ...where,
    key,
    taskId: place.taskId,
    interactionId: null,
    messages,
    phase: 'starting',
    pieces: [],
    reasoning: '',
    toolCalls: [],
    runs: [],
    finishReason: null,
    problem: null,
  });
  if (select) selectAnswer(key);
  void sender.run(key);
}

/** The session the next message goes on in, if the newest block is an open chat. */
export function openSession({ blocks, sessions }: Place): { block: Block & { kind: 'chat' }; where: Where } | null {
  const block = blocks[blocks.length - 1];
  if (block === undefined || block.kind !== 'chat' || block.ended || block.sessionId === null) return null;
  if (isEnding(block.sessionId)) return null;
  const session = sessions.find(({ session_id }) => session_id === block.sessionId);
  const key =
    session?.api_key ?? block.turns.flatMap(({ answers }) => answers.map(({ key }) => liveAnswer(key)?.sessionKey))[0];
  if (key == null) return null;
  return { block, where: { sessionId: block.sessionId, sessionKey: key, groupId: null } };
}

/** What the next message follows on: the outlined answer of the last answered turn, or its newest one. */
export function lastAnswered(
  block: Block & { kind: 'chat' },
  selected: string | null,
): { readonly turn: Turn; readonly answer: Answer } | null {
  for (const turn of [...block.turns].reverse()) {
    const finished = turn.answers.filter(({ phase }) => phase === 'finished');
    const answer = finished.find(({ key }) => key === selected) ?? finished[finished.length - 1];
    if (answer !== undefined) return { turn, answer };
  }
  return null;
}

/** The messages so far, as the next request repeats them. */
export function historyOf(block: Block & { kind: 'chat' }, selected: string | null): LiveAnswer['messages'] {
  const last = lastAnswered(block, selected);
  return last === null ? [] : [...last.turn.messages, saidAs(last.answer)];
}

/** An answer as the next request repeats it. Thoughts are not sent back: templates drop them, and so does the gateway. */
function saidAs({ text, toolCalls }: Answer): LiveAnswer['messages'][number] {
  const message = { role: 'assistant', content: text };
  if (toolCalls.length === 0) return message;
  const calls = toolCalls.map(({ id, name, arguments: written }) => ({
    id,
    type: 'function',
    function: { name, arguments: written },
  }));
  return { ...message, tool_calls: calls };
}

function whereOf(place: Place, block: Block, answer?: Answer): Where {
  const sessionId = answer?.sessionId ?? (block.kind === 'chat' ? block.sessionId : null);
  const session = place.sessions.find(({ session_id }) => session_id === sessionId);
  const sessionKey = session?.api_key ?? null;
  if (sessionId === null || sessionKey === null || session?.state === 'ended' || isEnding(sessionId)) return newSession;
  return { sessionId, sessionKey, groupId: null };
}

export const runningAnswers = (blocks: readonly Block[]): Answer[] =>
  blocks.flatMap((block) =>
    (block.kind === 'chat' ? block.turns.flatMap(({ answers }) => answers) : block.turn.answers).filter(isRunning),
  );
