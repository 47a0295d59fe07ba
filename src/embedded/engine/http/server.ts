import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Engine } from '../engine';
import { RequestError } from '../request-error';
import { readJsonBody } from './read-body';
import { sendJson, sendText } from './respond';
import type { Route, ServerIdentity } from './route';
import { controlRoutes } from './routes/control';
import { generateRoute } from './routes/generate';
import { healthRoute } from './routes/health';
import { infoRoutes } from './routes/info';
import { metricsRoute } from './routes/metrics';
import { weightRoutes } from './routes/weights';

export interface HttpOptions {
  readonly apiKey: string | null;
  readonly identity: ServerIdentity;
  /** null while the model loads; every route but health then answers 503 */
  readonly engine: () => Engine | null;
  readonly logError: (line: string) => void;
}

const ROUTES: readonly Route[] = [
  healthRoute,
  ...infoRoutes,
  metricsRoute,
  generateRoute,
  ...controlRoutes,
  ...weightRoutes,
];

/** The engine's HTTP face: auth, routing, and one place that turns errors into replies. */
export function createHttpServer(options: HttpOptions): Server {
  const table = new Map<string, Route>();
  for (const route of ROUTES) {
    for (const method of route.methods) for (const path of route.paths) table.set(`${method} ${path}`, route);
  }
  const server = createServer((request, response) => {
    answer(options, table, request, response).catch((cause) => sendFailure(options, request, response, cause));
  });
  // an answer may be long in coming: paused engines hold requests for as long as a person needs
  server.requestTimeout = 0;
  return server;
}

async function answer(
  options: HttpOptions,
  table: ReadonlyMap<string, Route>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://engine');
  const path = url.pathname.length > 1 ? url.pathname.replace(/\/+$/, '') : url.pathname;
  if (!isOpen(path) && !isAuthorized(options.apiKey, request))
    return sendJson(response, 401, { error: 'Unauthorized' });
  const route = table.get(`${request.method} ${path}`);
  if (route === undefined) return sendJson(response, 404, { error: { message: 'not supported by this engine' } });
  const engine = options.engine();
  if (engine === null) {
    if (route === healthRoute) return sendText(response, 503, '');
    return sendJson(response, 503, unready());
  }
  await route.handle({
    engine,
    identity: options.identity,
    request,
    response,
    query: url.searchParams,
    body: () => readJsonBody(request),
  });
}

function unready(): object {
  return { object: 'error', message: 'the model is loading', type: '503', param: null, code: 503 };
}

function isOpen(path: string): boolean {
  return path.startsWith('/health') || path.startsWith('/metrics');
}

function isAuthorized(apiKey: string | null, request: IncomingMessage): boolean {
  if (apiKey === null) return true;
  const [scheme = '', key = ''] = (request.headers.authorization ?? '').split(' ');
  // equal-length digests: the comparison's time tells nothing about the key
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(key), digest(apiKey)) && scheme.toLowerCase() === 'bearer';
}

function sendFailure(options: HttpOptions, request: IncomingMessage, response: ServerResponse, cause: unknown): void {
  if (request.destroyed && !request.complete) return;
  if (cause instanceof RequestError) {
    // whatever is left of an oversized body is not worth reading
    if (!request.complete) response.setHeader('connection', 'close');
    sendJson(response, cause.status, cause.body);
    return;
  }
  options.logError(
    `embedded-engine: error in ${request.method} ${request.url}: ${cause instanceof Error ? cause.stack : String(cause)}`,
  );
  if (response.headersSent) response.destroy();
  else sendJson(response, 500, { error: { message: 'internal error, see the engine log' } });
}
