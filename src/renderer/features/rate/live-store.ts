import { create } from 'zustand';
import type { VersionRun } from '../../../shared/domain/version-runs';
import type { GatewayProblem } from '../../data/gateway-problem';
import type { AnswerPhase, VersionedText } from './answer';

/** An answer asked for in this window, from the press of Enter until the gateway's own record shows it. */
export interface LiveAnswer {
  readonly key: string;
  readonly taskId: string;
  /** set for side-by-side rounds: the group the sessions share */
  readonly groupId: string | null;
  readonly sessionId: string | null;
  readonly sessionKey: string | null;
  readonly interactionId: string | null;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly phase: AnswerPhase;
  readonly pieces: readonly VersionedText[];
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
