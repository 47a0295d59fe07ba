import type { z } from 'zod';
import { err, ok, type Result } from '../../shared/lib/result';
import type { DesktopClient } from './desktop-client';
import { failureOf, type GatewayProblem, refusalOf } from './gateway-problem';

export interface GatewayCall<T> {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly schema: z.ZodType<T>;
  /** a session's key; the admin token when absent */
  readonly key?: string;
  readonly signal?: AbortSignal;
}

/** The two ways to speak HTTP with the gateway: a parsed reply, or the raw response of a stream. */
export interface GatewayTransport {
  call<T>(call: GatewayCall<T>): Promise<Result<T, GatewayProblem>>;
  open(call: Omit<GatewayCall<unknown>, 'schema'>): Promise<Result<Response, GatewayProblem>>;
}

/** Speaks to the gateway at the address the desktop gives; asks again after the address stopped answering. */
export function createGatewayTransport(desktop: DesktopClient): GatewayTransport {
  let address: { readonly url: string; readonly token: string } | null = null;

  async function locate(): Promise<Result<{ url: string; token: string }, GatewayProblem>> {
    if (address !== null) return ok(address);
    try {
      const reply = await desktop.invoke('gateway-address', undefined);
      if (reply.url === null) {
        return err({ kind: 'not-ready', message: reply.trouble[0]?.message ?? 'The gateway is still starting.' });
      }
      address = { url: reply.url.replace(/\/$/, ''), token: reply.token };
      return ok(address);
    } catch (error) {
      return err({ kind: 'not-ready', message: error instanceof Error ? error.message : String(error) });
    }
  }

  async function open(call: Omit<GatewayCall<unknown>, 'schema'>): Promise<Result<Response, GatewayProblem>> {
    const located = await locate();
    if (!located.ok) return located;
    const { url, token } = located.value;
    try {
      const response = await fetch(url + call.path + queryString(call.query), {
        method: call.method ?? 'GET',
        headers: {
          authorization: `Bearer ${call.key ?? token}`,
          ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
        ...(call.signal === undefined ? {} : { signal: call.signal }),
      });
      if (response.ok) return ok(response);
      const text = await response.text();
      return err(refusalOf(response.status, parseJson(text)));
    } catch (error) {
      const problem = failureOf(error);
      if (problem.kind === 'unreachable') address = null;
      return err(problem);
    }
  }

  return {
    open,
    async call({ schema, ...rest }) {
      const opened = await open(rest);
      if (!opened.ok) return opened;
      try {
        const parsed = schema.safeParse(parseJson(await opened.value.text()));
        if (parsed.success) return ok(parsed.data);
        const where = parsed.error.issues[0];
        return err({
          kind: 'unreadable',
          message: `${rest.path}: ${where?.path.join('.') ?? ''} ${where?.message ?? ''}`.trim(),
        });
      } catch (error) {
        return err(failureOf(error));
      }
    },
  };
}

function queryString(query: GatewayCall<unknown>['query']): string {
  const entries = Object.entries(query ?? {}).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)]],
  );
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
