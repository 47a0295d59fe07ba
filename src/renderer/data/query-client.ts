import { QueryClient } from '@tanstack/react-query';
import type { Result } from '../../shared/lib/result';
import { GatewayError, type GatewayProblem, problemOf } from './gateway-problem';

/** Loopback and IPC are always "online"; a refusal will not change by asking again, a starting gateway will. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        retry: (count, error) => {
          const { kind } = problemOf(error);
          return (kind === 'not-ready' || kind === 'unreachable') && count < 3;
        },
        retryDelay: (count) => Math.min(250 * 2 ** count, 2000),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
}

/** The value of a result, or its problem thrown: react-query's own form of a failure. */
export function unwrap<T>(result: Result<T, GatewayProblem>): T {
  if (result.ok) return result.value;
  throw new GatewayError(result.error);
}
