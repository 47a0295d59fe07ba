import { queryOptions } from '@tanstack/react-query';
import type { Clients } from '../../data/clients';
import { unwrap } from '../../data/query-client';
import { queryKeys } from '../../data/query-keys';

/** Sessions people drive, newest first; conversations are made of them. */
export const humanSessionsQuery = ({ gateway }: Clients) =>
  queryOptions({
    queryKey: [...queryKeys.sessions, 'human'],
    queryFn: async ({ signal }) => unwrap(await gateway.sessions({ source: 'human', limit: 500 }, signal)).sessions,
  });

export const sessionQuery = ({ gateway }: Clients, sessionId: string) =>
  queryOptions({
    queryKey: [...queryKeys.session, sessionId],
    queryFn: async ({ signal }) => unwrap(await gateway.session(sessionId, signal)),
  });

/** One answer with its tokens, read only to tint an answer that more than one version sampled. */
export const answerTokensQuery = ({ gateway }: Clients, interactionId: string) =>
  queryOptions({
    queryKey: [...queryKeys.interaction, interactionId],
    queryFn: async ({ signal }) => unwrap(await gateway.interaction(interactionId, signal)),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const draftsQuery = ({ desktop }: Clients) =>
  queryOptions({
    queryKey: queryKeys.drafts,
    queryFn: () => desktop.invoke('drafts-read', undefined),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
