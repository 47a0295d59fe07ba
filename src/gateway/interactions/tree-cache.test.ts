import { describe, expect, it } from 'vitest';
import { interactionId, type SessionId, sessionId } from '../../shared/domain/ids';
import type { ChatMessage } from '../../shared/domain/interaction';
import { type Conversation, TreeCache } from './tree-cache';

const user = (content: string): ChatMessage => ({ role: 'user', content });
const conversation = (id: string, question: string): Conversation => ({
  id: interactionId(id),
  messages: [user(question)],
  output: { role: 'assistant', content: 'yes' },
});
const next = (question: string): ChatMessage[] => [user(question), { role: 'assistant', content: 'yes' }, user('why')];

function create(limit: number): { cache: TreeCache; stored: Map<SessionId, Conversation[]>; loads: SessionId[] } {
  const stored = new Map<SessionId, Conversation[]>();
  const loads: SessionId[] = [];
  const cache = new TreeCache(limit, (session) => {
    loads.push(session);
    return stored.get(session) ?? [];
  });
  return { cache, stored, loads };
}

describe('TreeCache', () => {
  const [a, b, c] = [sessionId('a'), sessionId('b'), sessionId('c')];

  it('builds a tree once and keeps it up to date', () => {
    const { cache, loads } = create(100);
    expect(cache.findParent(a, next('q'))).toBeNull();
    cache.add(a, conversation('i0', 'q'));
    expect(cache.findParent(a, next('q'))).toBe('i0');
    expect(loads).toEqual([a]);
  });

  it('gives up the tree that was used least lately, and finds it again in the store', () => {
    const { cache, stored, loads } = create(4);
    for (const session of [a, b]) {
      stored.set(session, [conversation(`${session}0`, 'q')]);
      cache.findParent(session, []);
    }
    cache.findParent(a, []);
    stored.set(c, [conversation('c0', 'q')]);
    cache.findParent(c, []);
    expect(loads).toEqual([a, b, c]);
    expect(cache.findParent(a, next('q'))).toBe('a0');
    expect(loads).toEqual([a, b, c]);
    expect(cache.findParent(b, next('q'))).toBe('b0');
    expect(loads).toEqual([a, b, c, b]);
  });

  it('keeps the tree in use, however large', () => {
    const { cache, stored, loads } = create(1);
    stored.set(a, [conversation('i0', 'q'), conversation('i1', 'r')]);
    cache.findParent(a, []);
    cache.findParent(a, []);
    expect(loads).toEqual([a]);
  });

  it('adds nothing to a tree it does not hold', () => {
    const { cache, stored } = create(100);
    cache.add(a, conversation('i0', 'q'));
    expect(cache.findParent(a, next('q'))).toBeNull();
    cache.forget(a);
    stored.set(a, [conversation('i0', 'q')]);
    expect(cache.findParent(a, next('q'))).toBe('i0');
  });
});
