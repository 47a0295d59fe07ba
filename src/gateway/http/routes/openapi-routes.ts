import { Hono } from 'hono';
import { openApiDocument } from '../openapi/document';
import { OPERATIONS } from '../openapi/operations';

/** `GET /openapi.json`, made once. */
export function openApiRoutes(): Hono {
  let document: string | null = null;
  const routes = new Hono();
  routes.get('/openapi.json', () => {
    document ??= JSON.stringify(openApiDocument(OPERATIONS));
    return new Response(document, { headers: { 'content-type': 'application/json' } });
  });
  return routes;
}
