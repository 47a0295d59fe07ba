import { groupId, interactionId, sessionId } from '../../../shared/domain/ids';
import type { Session } from '../../../shared/domain/session';
import type { RunningInteraction } from '../interactions';

/** An open session; override what the test is about. */
export function sampleSession(id: string, overrides: Partial<Session> = {}): Session {
  return {
    id: sessionId(id),
    taskId: 'task',
    groupId: groupId(id),
    apiKey: `key of ${id}`,
    source: 'human',
    raterId: null,
    turnDiscount: 1,
    discountMode: 'linear',
    unratedPolicy: 'hold',
    consumer: 'plaudit',
    state: 'open',
    createdAt: 1000,
    endedAt: null,
    endReason: null,
    takenAt: null,
    lastAccessAt: 1000,
    ...overrides,
  };
}

/** A running interaction of a session; override what the test is about. */
export function sampleRunning(
  id: string,
  session: string,
  overrides: Partial<RunningInteraction> = {},
): RunningInteraction {
  return {
    id: interactionId(id),
    sessionId: sessionId(session),
    parentId: null,
    messages: [{ role: 'user', content: 'hello' }],
    promptTokenIds: [1, 2, 3],
    temperature: 1,
    distorted: false,
    createdAt: 2000,
    ...overrides,
  };
}

/** An answer of two tokens. */
export const SAMPLE_ANSWER = {
  outputMessage: { role: 'assistant', content: 'hi' },
  output: { tokenIds: [7, 8], logprobs: [-0.5, -0.25], versions: [0, 1] },
  finishReason: 'stop',
  finishedAt: 3000,
} as const;
