import { setTimeout as sleep } from 'node:timers/promises';
import type { PauseMode } from '../../engine';
import { invalidValue } from '../../request-error';
import { RequestFields } from '../../request-fields';
import { sendJson, sendText } from '../respond';
import type { Route, RouteContext } from '../route';

export const controlRoutes: readonly Route[] = [
  { methods: ['POST'], paths: ['/abort_request'], handle: abortRequest },
  { methods: ['POST'], paths: ['/pause_generation'], handle: pauseGeneration },
  { methods: ['POST'], paths: ['/continue_generation'], handle: continueGeneration },
  { methods: ['GET', 'POST'], paths: ['/flush_cache'], handle: flushCache },
];

/** Exact ids only; unknown and empty ones are no error, since the request may just have ended. */
async function abortRequest({ engine, response, body }: RouteContext): Promise<void> {
  const fields = new RequestFields(await body(), 'the request body');
  if (fields.flag('abort_all', false)) await engine.abortAll();
  else {
    const rid = fields.text('rid', '');
    if (rid !== '') await engine.abort(rid);
  }
  sendText(response, 200, '');
}

async function pauseGeneration({ engine, response, body }: RouteContext): Promise<void> {
  const mode = new RequestFields(await body(), 'the request body').text('mode', 'abort');
  if (!isPauseMode(mode)) throw invalidValue(`mode ${JSON.stringify(mode)} is none of abort, in_place, retract`);
  await engine.pause(mode);
  sendJson(response, 200, { message: 'paused', status: 'ok' });
}

async function continueGeneration({ engine, response, body }: RouteContext): Promise<void> {
  await body();
  engine.resume();
  sendJson(response, 200, { message: 'resumed', status: 'ok' });
}

const MAX_FLUSH_WAIT_S = 600;

async function flushCache({ engine, response, query }: RouteContext): Promise<void> {
  const seconds = Number(query.get('timeout') ?? 0);
  if (!(seconds >= 0 && seconds <= MAX_FLUSH_WAIT_S)) {
    throw invalidValue(`timeout ${query.get('timeout')} is outside [0, ${MAX_FLUSH_WAIT_S}] seconds`);
  }
  const outcome = await engine.flush(seconds * 1000, (ms) => sleep(ms));
  sendText(response, outcome.ok ? 200 : 400, outcome.message);
}

function isPauseMode(mode: string): mode is PauseMode {
  return mode === 'abort' || mode === 'in_place' || mode === 'retract';
}
