import { sendText } from '../respond';
import type { Route } from '../route';

/** Paused counts as healthy; loading is answered before any engine exists. */
export const healthRoute: Route = {
  methods: ['GET'],
  paths: ['/health', '/health_generate'],
  handle: ({ engine, response }) => sendText(response, engine.isStopping ? 503 : 200, ''),
};
