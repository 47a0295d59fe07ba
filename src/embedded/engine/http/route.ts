import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Engine } from '../engine';

/** One request on its way to a handler; the body is read and parsed only when a handler asks. */
export interface RouteContext {
  readonly engine: Engine;
  readonly identity: ServerIdentity;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  /** the parsed JSON body; an empty body reads as `{}` */
  readonly body: () => Promise<unknown>;
}

/** What info routes tell about the process. */
export interface ServerIdentity {
  readonly servedModelName: string;
  readonly startedAtMs: number;
  readonly port: () => number;
}

export interface Route {
  readonly methods: readonly ('GET' | 'POST')[];
  readonly paths: readonly string[];
  readonly handle: (context: RouteContext) => Promise<void> | void;
}

export const ENGINE_VERSION = 'embedded-0.1.0';
