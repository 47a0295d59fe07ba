import { create } from 'zustand';
import type { VersionRun } from '../../../shared/domain/version-runs';
import type { ChatMessage, ToolCall, ToolCallPiece } from '../../data/chat-stream';
import type { GatewayProblem } from '../../data/gateway-problem';
import { type AnswerPhase, isRunning, type VersionedText } from './answer';

/** An answer asked for in this window, from the press of Enter until the gateway's own record shows it. */
export interface LiveAnswer {
  readonly key: string;
  readonly taskId: string;
  /** set for side-by-side rounds: the group the sessions share */
  readonly groupId: string | null;
  readonly sessionId: string | null;
  readonly sessionKey: string | null;
  readonly interactionId: string | null;
  readonly messages: readonly ChatMessage[];
  readonly phase: AnswerPhase;
  readonly pieces: readonly VersionedText[];
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  readonly runs: readonly VersionRun[];
  readonly finishReason: string | null;
  readonly problem: GatewayProblem | null;
}

interface LiveStore {
  readonly answers: readonly LiveAnswer[];
}

/** Outlives the Rate screen: an answer goes on while a person looks at another screen. */
export const useLiveStore = create<LiveStore>(() => ({ answers: [] }));

export const liveAnswer = (key: string): LiveAnswer | undefined =>
  useLiveStore.getState().answers.find((answer) => answer.key === key);

/** Answers of a conversation that a person can still stop. */
export const stoppable = (taskId: string): readonly LiveAnswer[] =>
  useLiveStore
    .getState()
    .answers.filter((answer) => answer.taskId === taskId && isRunning(answer) && answer.phase !== 'stopping');

export function addLive(answer: LiveAnswer): void {
  useLiveStore.setState(({ answers }) => ({ answers: [...answers, answer] }));
}

export function changeLive(key: string, change: Partial<LiveAnswer>): void {
  useLiveStore.setState(({ answers }) => ({
    answers: answers.map((answer) => (answer.key === key ? { ...answer, ...change } : answer)),
  }));
}

export function removeLive(key: string): void {
  useLiveStore.setState(({ answers }) => ({ answers: answers.filter((answer) => answer.key !== key) }));
}

/** The calls with more of one of them; a piece of a call that nobody named yet begins it. */
export function appendCalls(calls: readonly ToolCall[], pieces: readonly ToolCallPiece[]): readonly ToolCall[] {
  if (pieces.length === 0) return calls;
  const grown = [...calls];
  for (const { index, id, name, arguments: text } of pieces) {
    const call = grown[index] ?? { id: '', name: '', arguments: '' };
    grown[index] = { id: id ?? call.id, name: name ?? call.name, arguments: call.arguments + text };
  }
  return grown.filter((call) => call !== undefined);
}

/** Text with the version that sampled it; the runs tell the newest token's version. */
export function appendPiece(
  pieces: readonly VersionedText[],
  text: string,
  runs: readonly VersionRun[],
): readonly VersionedText[] {
  if (text === '') return pieces;
  const last = pieces[pieces.length - 1];
  const version = runs[runs.length - 1]?.[0] ?? last?.version ?? -1;
  if (last === undefined || last.version !== version) return [...pieces, { version, text }];
  return [...pieces.slice(0, -1), { version, text: last.text + text }];
}
