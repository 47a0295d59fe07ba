import { RequestError } from '../../request-error';
import { RequestFields } from '../../request-fields';
import { sendJson } from '../respond';
import type { Route, RouteContext } from '../route';

export const weightRoutes: readonly Route[] = [
  { methods: ['POST'], paths: ['/update_weights_from_disk'], handle: updateWeightsFromDisk },
  { methods: ['POST'], paths: ['/update_weight_version'], handle: updateWeightVersion },
  { methods: ['POST'], paths: ['/release_memory_occupation', '/resume_memory_occupation'], handle: memoryOccupation },
  { methods: ['POST'], paths: ['/load_lora_adapter', '/unload_lora_adapter'], handle: loraAdapter },
];

async function updateWeightsFromDisk(context: RouteContext): Promise<void> {
  const { engine, response } = context;
  const fields = await readFields(context);
  if (fields === null) return;
  const request = readUpdate(fields);
  if (typeof request === 'string') return refuse(context, request);
  const outcome = await engine.updateWeights(request);
  sendJson(response, outcome.ok ? 200 : 400, { success: outcome.ok, message: outcome.message, num_paused_requests: 0 });
}

async function updateWeightVersion(context: RouteContext): Promise<void> {
  const { engine, response } = context;
  const fields = await readFields(context);
  if (fields === null) return;
  const version = fields.raw('new_version');
  if (typeof version !== 'string' || version === '') return refuse(context, 'new_version must be a non-empty string');
  // the original's default; the driver always says false
  if (fields.raw('abort_all_requests') !== false) await engine.abortAll();
  await engine.setVersion(version);
  sendJson(response, 200, { success: true, message: `version is ${version}`, new_version: version });
}

/** A few megabytes are not worth releasing: a no-op, as without a memory saver. */
async function memoryOccupation({ response, body }: RouteContext): Promise<void> {
  await body();
  sendJson(response, 200, null);
}

async function loraAdapter({ response, body }: RouteContext): Promise<void> {
  await body();
  sendJson(response, 400, {
    success: false,
    error_message: 'this engine has no adapter support',
    loaded_adapters: null,
  });
}

function readUpdate(fields: RequestFields) {
  const path = fields.raw('model_path');
  if (typeof path !== 'string' || path === '') return 'model_path must be a non-empty string';
  const format = fields.raw('load_format') ?? 'auto';
  if (format !== 'auto' && format !== 'safetensors') return `load_format ${JSON.stringify(format)} is not supported`;
  const version = fields.raw('weight_version');
  if (version !== null && (typeof version !== 'string' || version === ''))
    return 'weight_version must be a non-empty string';
  const flush = fields.raw('flush_cache') ?? true;
  const abortAll = fields.raw('abort_all_requests') ?? false;
  if (typeof flush !== 'boolean' || typeof abortAll !== 'boolean')
    return 'flush_cache and abort_all_requests must be true or false';
  return { path, version, flush, abortAll };
}

/** Weight endpoints have an error shape of their own, also for bodies that cannot be read. */
async function readFields(context: RouteContext): Promise<RequestFields | null> {
  try {
    return new RequestFields(await context.body(), 'the request body');
  } catch (cause) {
    if (!(cause instanceof RequestError) || cause.status !== 400) throw cause;
    refuse(context, cause.message);
    return null;
  }
}

function refuse({ response }: RouteContext, message: string): void {
  sendJson(response, 400, { success: false, message, num_paused_requests: 0 });
}
