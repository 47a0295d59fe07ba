import type { Engine } from '../../engine';
import { sendJson } from '../respond';
import { ENGINE_VERSION, type Route, type RouteContext } from '../route';

export const infoRoutes: readonly Route[] = [
  { methods: ['GET'], paths: ['/model_info', '/get_model_info'], handle: modelInfo },
  { methods: ['GET'], paths: ['/server_info', '/get_server_info'], handle: serverInfo },
  { methods: ['GET'], paths: ['/v1/models'], handle: models },
  { methods: ['GET'], paths: ['/v1/loads'], handle: loads },
];

function modelInfo({ engine, response }: RouteContext): void {
  sendJson(response, 200, {
    model_path: engine.modelPath,
    tokenizer_path: engine.options.folder.path,
    is_generation: true,
    preferred_sampling_params: null,
    weight_version: engine.version,
    has_image_understanding: false,
    has_audio_understanding: false,
    model_type: 'llama',
    architectures: engine.options.folder.architectures,
  });
}

/** No secrets here, unlike the original, which flattens its launch arguments. */
function serverInfo({ engine, identity, response }: RouteContext): void {
  const { contextLength, shapes } = engine.options;
  const capacity = tokenCapacity(engine);
  sendJson(response, 200, {
    status: engine.isStopping ? 'stopping' : 'ready',
    version: ENGINE_VERSION,
    engine: 'embedded',
    served_model_name: identity.servedModelName,
    model_path: engine.modelPath,
    port: identity.port(),
    context_length: contextLength,
    max_total_num_tokens: capacity,
    max_req_input_len: contextLength - 1,
    max_running_requests: shapes.maxRunning,
    weight_version: engine.version,
    incremental_streaming_output: true,
    paused: engine.isPaused,
    capabilities: [
      ...['weight_versions', 'incremental_stream', 'update_from_disk', 'seed', 'stop_strings'],
      ...['batch_invariant', 'prefix_resume_exact', 'prompt_logprobs'],
    ],
    internal_states: [
      {
        last_gen_throughput: round(engine.throughput()),
        memory_usage: {
          weight: gigabytes(weightBytes(engine)),
          kvcache: gigabytes(engine.scheduler.cacheBytes),
          token_capacity: capacity,
          graph: 0,
        },
      },
    ],
  });
}

function models({ engine, identity, response }: RouteContext): void {
  const { servedModelName } = identity;
  const created = Math.floor(identity.startedAtMs / 1000);
  const model = { id: servedModelName, object: 'model', created, owned_by: 'embedded', root: servedModelName };
  sendJson(response, 200, { object: 'list', data: [{ ...model, max_model_len: engine.options.contextLength }] });
}

function loads({ engine, response }: RouteContext): void {
  const { running, waiting } = engine.scheduler;
  const used = running.reduce((sum, sequence) => sum + sequence.cached, 0);
  const capacity = tokenCapacity(engine);
  sendJson(response, 200, {
    timestamp: new Date(engine.options.nowMs()).toISOString(),
    version: ENGINE_VERSION,
    loads: [
      {
        dp_rank: 0,
        num_running_reqs: running.length,
        num_waiting_reqs: waiting.length,
        num_used_tokens: used,
        num_total_tokens: used + waiting.reduce((sum, sequence) => sum + sequence.length, 0),
        max_total_num_tokens: capacity,
        max_running_requests: engine.options.shapes.maxRunning,
        token_usage: round(used / capacity),
        gen_throughput: round(engine.throughput()),
      },
    ],
  });
}

/** Positions that the running batch may take; beyond it the youngest requests wait. */
export function tokenCapacity(engine: Engine): number {
  return engine.options.shapes.maxTokens;
}

function weightBytes(engine: Engine): number {
  return engine.options.decoder.parameters * 4;
}

function gigabytes(bytes: number): number {
  return Number((bytes / 2 ** 30).toFixed(6));
}

function round(value: number): number {
  return Number(value.toFixed(4));
}
