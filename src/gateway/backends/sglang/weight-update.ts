import { updateWeightsReplySchema } from '../../../shared/wire/generate';
import type { Clock } from '../../platform/clock';
import { EngineConnectionError, type EngineHttp } from '../../platform/engine-http';
import type { PublishOutcome } from '../backend';
import type { Engine } from './engine-connection';
import { parseJson, readErrorMessage } from './reply-reader';

export interface WeightUpdatePorts {
  readonly http: EngineHttp;
  readonly clock: Clock;
}

/** milliseconds; loading is bounded generously, since a large model on a slow disk takes minutes */
export const UPDATE_LIMITS = { pauseMs: 60_000, flushMs: 60_000, loadMs: 900_000, continueMs: 30_000 } as const;

/**
 * Replaces an engine's weights from a folder: pause (interrupting what runs) → flush the prefix cache until the engine
 * is really idle → load → continue, the last one whatever happened before.
 *
 * The caller keeps new calls away meanwhile and verifies the version afterwards.
 *
 * @remarks A cache that survives the update would answer with the old weights' prefills; and SGLang must not be told to
 * load with a flush while anything is queued, so the flush comes first, alone.
 */
export async function updateWeights(
  ports: WeightUpdatePorts,
  engine: Engine,
  weights: { readonly path: string; readonly version: number },
): Promise<PublishOutcome> {
  const ask = (path: string, body: unknown, timeoutMs: number): Promise<{ status: number; text: string }> =>
    ports.http.call(
      { method: 'POST', url: `${engine.url}${path}`, apiKey: engine.apiKey, body },
      AbortSignal.timeout(timeoutMs),
    );
  const steps = async (): Promise<PublishOutcome> => {
    const paused = await ask('/pause_generation', { mode: 'abort' }, UPDATE_LIMITS.pauseMs);
    if (paused.status !== 200) return refused('pause', paused);
    const flushed = await flushUntilIdle(ports, ask);
    if (flushed !== null) return flushed;
    const body = {
      model_path: weights.path,
      load_format: 'auto',
      weight_version: String(weights.version),
      flush_cache: true,
    };
    const loaded = await ask('/update_weights_from_disk', body, UPDATE_LIMITS.loadMs);
    const reply = updateWeightsReplySchema.safeParse(parseJson(loaded.text));
    if (loaded.status !== 200 || !reply.success || !reply.data.success) return refused('load the weights', loaded);
    return { kind: 'served' };
  };

  let outcome: PublishOutcome;
  try {
    outcome = await steps();
  } catch (error) {
    outcome = lost(error);
  }
  try {
    const continued = await ask('/continue_generation', {}, UPDATE_LIMITS.continueMs);
    if (continued.status !== 200) outcome = refused('continue', continued);
  } catch (error) {
    outcome = lost(error);
  }
  return outcome;
}

/** null = idle and flushed */
async function flushUntilIdle(
  { clock }: WeightUpdatePorts,
  ask: (path: string, body: unknown, timeoutMs: number) => Promise<{ status: number; text: string }>,
): Promise<PublishOutcome | null> {
  const deadline = clock.now() + UPDATE_LIMITS.flushMs;
  for (;;) {
    const flushed = await ask('/flush_cache?timeout=2', {}, 30_000);
    if (flushed.status === 200) return null;
    if (clock.now() >= deadline) return refused('become idle', flushed);
    await ask('/abort_request', { abort_all: true }, 10_000);
    await clock.sleep(100);
  }
}

function refused(step: string, reply: { readonly status: number; readonly text: string }): PublishOutcome {
  const reason = readErrorMessage(parseJson(reply.text)) ?? reply.text.slice(0, 300);
  return { kind: 'refused', message: `The engine would not ${step}: ${reply.status} ${reason}` };
}

function lost(error: unknown): PublishOutcome {
  if (!(error instanceof EngineConnectionError)) throw error;
  return { kind: 'unavailable', message: `The engine went away during the weight update: ${error.message}` };
}
