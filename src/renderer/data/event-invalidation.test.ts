import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { interactionOf, sessionOf } from '../testing/fake-wire';
import { cachedSessionOf, createInvalidator, staleKeys } from './event-invalidation';
import { queryKeys } from './query-keys';

const findSession = (id: string): string | undefined => (id === 'known' ? 's1' : undefined);

describe('staleKeys', () => {
  it.each([
    ['an event that names its session', { kind: 'interaction-end', session_id: 's2' } as const, 's2'],
    ['a rating of a session that was read', { kind: 'reward-set', interaction_id: 'known' } as const, 's1'],
    ['a rating of a session nobody read', { kind: 'reward-set', interaction_id: 'other' } as const, undefined],
  ])('%s makes only that session stale', (_name, event, session) => {
    const sessions = staleKeys(event, findSession).filter((key) => key[1] === 'session');
    expect(sessions).toEqual(session === undefined ? [] : [[...queryKeys.session, session]]);
  });

  it('a batch makes every session stale, because any answer may be in it', () => {
    expect(staleKeys({ kind: 'batch-form' }, findSession)).toContainEqual(queryKeys.session);
  });
});

describe('cachedSessionOf', () => {
  it('finds the session that holds an interaction', () => {
    const client = new QueryClient();
    const detail = { ...sessionOf('s1', 'task', undefined, 1), interactions: [interactionOf('a', 's1', [], 1)] };
    client.setQueryData([...queryKeys.session, 's1'], detail);
    expect(cachedSessionOf(client)('a')).toBe('s1');
    expect(cachedSessionOf(client)('b')).toBeUndefined();
  });
});

describe('createInvalidator', () => {
  it('reads once what a burst of events made stale several times', () => {
    const client = new QueryClient();
    client.setQueryData(queryKeys.status, 1);
    client.setQueryData(queryKeys.receipts, 1);
    const later: (() => void)[] = [];
    const invalidate = createInvalidator(client, (run) => later.push(run));
    invalidate([queryKeys.status]);
    invalidate([queryKeys.status]);
    expect(client.getQueryState(queryKeys.status)?.isInvalidated).toBe(false);
    expect(later).toHaveLength(1);
    later[0]?.();
    expect(client.getQueryState(queryKeys.status)?.isInvalidated).toBe(true);
    expect(client.getQueryState(queryKeys.receipts)?.isInvalidated).toBe(false);
  });
});
