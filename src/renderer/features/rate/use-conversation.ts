import { type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { SessionView } from '../../../shared/wire/rl';
import { useClients } from '../../data/clients';
import type { Block } from './answer';
import { useLiveStore } from './live-store';
import { humanSessionsQuery, sessionQuery } from './queries';
import { useRateStore } from './rate-store';
import { buildTranscript, type SessionDetail } from './transcript';

export interface Conversation {
  readonly taskId: string;
  readonly blocks: readonly Block[];
  /** all sessions of the conversation, newest first */
  readonly sessions: readonly SessionView[];
  readonly hiddenSessions: number;
  readonly loading: boolean;
}

const nothing: readonly SessionView[] = [];

/** The conversation on screen, from the gateway's record and the answers running here. */
export function useConversation(): Conversation {
  const clients = useClients();
  const taskId = useRateStore((state) => state.taskId);
  const shown = useRateStore((state) => state.shownSessions);
  const live = useLiveStore(({ answers }) => answers);
  const list = useQuery(humanSessionsQuery(clients));
  const all = list.data ?? nothing;
  const sessions = useMemo(() => all.filter(({ task_id }) => task_id === taskId), [all, taskId]);
  const visible = useMemo(() => sessions.slice(0, shown), [sessions, shown]);
  const details = useQueries({
    queries: visible.map(({ session_id }) => sessionQuery(clients, session_id)),
    combine: combineDetails,
  });
  const blocks = useMemo(
    () => buildTranscript({ taskId, sessions: visible, details: details.byId, live }),
    [taskId, visible, details.byId, live],
  );
  return {
    taskId,
    blocks,
    sessions,
    hiddenSessions: sessions.length - visible.length,
    loading: list.isPending || details.loading,
  };
}

function combineDetails(results: UseQueryResult<SessionDetail>[]): {
  readonly byId: ReadonlyMap<string, SessionDetail>;
  readonly loading: boolean;
} {
  const byId = new Map(results.flatMap(({ data }) => (data === undefined ? [] : [[data.session_id, data] as const])));
  return { byId, loading: results.some(({ isPending }) => isPending) };
}
