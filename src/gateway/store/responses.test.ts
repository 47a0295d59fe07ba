import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AnswerHead } from '../../shared/domain/answer';
import { interactionId, sessionId } from '../../shared/domain/ids';
import { beginBody } from '../protocols/openai-responses/response-body';
import { type Database, openDatabase } from './database';
import { InteractionStore } from './interactions';
import { ResponseStore, type StoredResponse } from './responses';
import { SessionStore } from './sessions';
import { sampleRunning, sampleSession } from './testing/sample-rows';

const session = sessionId('task-0');
let database: Database;
let responses: ResponseStore;

beforeEach(() => {
  database = openDatabase(':memory:');
  responses = new ResponseStore(database);
  new SessionStore(database).insert(sampleSession(session));
  const interactions = new InteractionStore(database);
  for (let k = 0; k < 4; k += 1) interactions.insertRunning(sampleRunning(`i${k}`, session));
});
afterEach(() => database.close());

/** The k-th turn of a conversation. */
function turn(k: number, overrides: Partial<StoredResponse> = {}): StoredResponse {
  const head: AnswerHead = {
    id: interactionId(`i${k}`),
    sessionId: session,
    createdAt: 1000 * k,
    model: 'm',
    promptTokens: 1,
    cachedTokens: 0,
  };
  return {
    id: `r${k}`,
    sessionId: session,
    interactionId: head.id,
    previousResponseId: k === 0 ? null : `r${k - 1}`,
    body: { ...beginBody(head, {}), id: `r${k}` },
    messages: [{ role: 'user', content: `question ${k}` }],
    createdAt: head.createdAt,
    ...overrides,
  };
}

const contents = (id: string): unknown[] => responses.conversation(id).map((message) => message.content);

describe('ResponseStore', () => {
  it('gives back a response as it was stored, to its session only', () => {
    responses.insert(turn(0));
    expect(responses.find('r0', session)).toEqual(turn(0).body);
    expect(responses.find('r0', sessionId('other'))).toBeNull();
    expect(responses.find('r1', session)).toBeNull();
  });

  it('tells a conversation from its beginning, branches apart', () => {
    for (const stored of [turn(0), turn(1), turn(2), turn(3, { previousResponseId: 'r0' })]) responses.insert(stored);
    expect(contents('r2')).toEqual(['question 0', 'question 1', 'question 2']);
    expect(contents('r3')).toEqual(['question 0', 'question 3']);
    expect(contents('nothing')).toEqual([]);
  });

  it('keeps the first of two with one id', () => {
    responses.insert(turn(0));
    responses.insert(turn(0, { messages: [{ role: 'user', content: 'another' }] }));
    expect(contents('r0')).toEqual(['question 0']);
  });

  it('hides a deleted response and keeps what it said for those that follow', () => {
    for (const stored of [turn(0), turn(1)]) responses.insert(stored);
    expect(responses.delete('r0', sessionId('other'))).toBe(false);
    expect(responses.delete('r0', session)).toBe(true);
    expect(responses.delete('r0', session)).toBe(false);
    expect(responses.find('r0', session)).toBeNull();
    expect(contents('r1')).toEqual(['question 0', 'question 1']);
  });
});
