import type { z } from 'zod';

/** One route as the OpenAPI document tells it; the schemas are those that the route itself parses with. */
export interface Operation {
  readonly method: 'get' | 'post' | 'delete';
  /** OpenAPI's form: `/rl/sessions/{id}` */
  readonly path: string;
  readonly tag: 'chat' | 'sessions' | 'rewards' | 'trajectories' | 'training' | 'service';
  readonly summary: string;
  /** which key opens it; `either`: a session's own or the admin's */
  readonly key: 'none' | 'session' | 'admin' | 'either';
  readonly request?: z.ZodType;
  /** names of query parameters, with what they say */
  readonly query?: Readonly<Record<string, string>>;
  /** null = not JSON, see `media` */
  readonly reply: z.ZodType | null;
  /** besides JSON, or instead of it */
  readonly media?: 'text/event-stream' | 'text/plain';
  /** statuses with an error body, besides 401, 403, 413, 422, 429 and 500, which every route may give */
  readonly refusals?: readonly number[];
  readonly success?: number;
}
