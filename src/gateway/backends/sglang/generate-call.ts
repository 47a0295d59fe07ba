import type { GenerateRequest } from '../../../shared/wire/generate';
import { Cancellation, type CancelSignal } from '../../platform/cancellation';
import type { Clock } from '../../platform/clock';
import { EngineConnectionError, type EngineHttp } from '../../platform/engine-http';
import { type RandomSource, randomHex } from '../../platform/random';
import type { GenerateTask, TokenDelta } from '../backend';
import type { Engine } from './engine-connection';
import { type CallEnding, parseJson, ReplyReader, readErrorMessage } from './reply-reader';

/** How a call ended, seen from the driver. */
export type CallOutcome =
  | CallEnding
  /** the connection broke or the stream stopped without an ending; tokens received before are valid */
  | { readonly kind: 'lost'; readonly message: string }
  | { readonly kind: 'bad-evidence'; readonly message: string };

export interface GenerateCallPorts {
  readonly http: EngineHttp;
  readonly clock: Clock;
  readonly random: RandomSource;
}

const ABORT_REPEAT_MS = 1000;
const ABORT_PATIENCE_MS = 3000;

/**
 * One `/generate` call: yields new tokens, returns how it ended.
 *
 * Aborting the signal asks the engine to stop and goes on reading, because the tokens it has already sampled are part of
 * the answer; only an engine that does not react is hung up on. Leaving the iteration early hangs up at once.
 */
export async function* generateCall(
  ports: GenerateCallPorts,
  engine: Engine,
  request: { readonly task: GenerateTask; readonly received: readonly number[] },
  signal: CancelSignal,
): AsyncGenerator<TokenDelta, CallOutcome, undefined> {
  const rid = randomHex(ports.random, 32);
  const hangUp = new Cancellation();
  const onAbort = (): void => void abortUntilDone(ports, engine, rid, hangUp);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  let isOver = false;
  let ending: CallEnding | null = null;
  try {
    const call = {
      method: 'POST',
      url: `${engine.url}/generate`,
      apiKey: engine.apiKey,
      body: toBody(rid, request),
    } as const;
    const reply = await ports.http.stream(call, hangUp);
    if (reply.status !== 200) {
      const text = await reply.text();
      isOver = true;
      return {
        kind: 'refused',
        status: reply.status,
        message: readErrorMessage(parseJson(text)) ?? text.slice(0, 300),
      };
    }
    const reader = new ReplyReader();
    const { events } = reply;
    for await (const data of events) {
      if (data === '[DONE]') continue;
      const step = reader.read(data);
      if (!step.ok) return { kind: 'bad-evidence', message: step.error };
      if (step.value.delta !== null) yield step.value.delta;
      ending = step.value.ending;
      if (ending !== null) events.release();
    }
    isOver = true;
    return ending ?? { kind: 'lost', message: 'the engine closed the stream before the answer was complete' };
  } catch (error) {
    if (error instanceof EngineConnectionError) return ending ?? { kind: 'lost', message: error.message };
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    if (!isOver && !hangUp.aborted) void sendAbort(ports.http, engine, rid);
    // Ends the connection of a call that was left early, and the repeated abort. A whole reply needs neither, and an
    // abort is dear: it makes an exception with a stack.
    if (!isOver || signal.aborted) hangUp.abort();
  }
}

async function abortUntilDone(
  { http, clock }: GenerateCallPorts,
  engine: Engine,
  rid: string,
  hangUp: Cancellation,
): Promise<void> {
  const deadline = clock.now() + ABORT_PATIENCE_MS;
  // Repeated, because an engine does not find a request that is still being prepared.
  while (!hangUp.aborted && clock.now() < deadline) {
    await sendAbort(http, engine, rid);
    await clock.sleep(ABORT_REPEAT_MS, hangUp);
  }
  hangUp.abort();
}

async function sendAbort(http: EngineHttp, engine: Engine, rid: string): Promise<void> {
  const url = `${engine.url}/abort_request`;
  try {
    await http.call(
      { method: 'POST', url, apiKey: engine.apiKey, body: { rid } },
      AbortSignal.timeout(ABORT_PATIENCE_MS),
    );
  } catch (error) {
    // An engine that is gone has aborted everything.
    if (!(error instanceof EngineConnectionError)) throw error;
  }
}

function toBody(
  rid: string,
  { task, received }: { readonly task: GenerateTask; readonly received: readonly number[] },
): GenerateRequest {
  return {
    rid,
    input_ids: [...task.promptTokenIds, ...received],
    return_logprob: true,
    ...((task.topLogprobs ?? 0) > 0 ? { top_logprobs_num: task.topLogprobs ?? 0 } : {}),
    stream: true,
    sampling_params: {
      max_new_tokens: task.maxNewTokens - received.length,
      temperature: task.temperature,
      ...(task.topP === 1 ? {} : { top_p: task.topP }),
      ...(task.topK === null ? {} : { top_k: task.topK }),
      ...(task.frequencyPenalty === 0 ? {} : { frequency_penalty: task.frequencyPenalty }),
      ...(task.presencePenalty === 0 ? {} : { presence_penalty: task.presencePenalty }),
      ...(task.stopStrings.length === 0 ? {} : { stop: [...task.stopStrings] }),
      ...(task.stopTokenIds.length === 0 ? {} : { stop_token_ids: [...task.stopTokenIds] }),
      ...(task.seed === null ? {} : { sampling_seed: task.seed }),
      ...(task.jsonSchema === null ? {} : { json_schema: task.jsonSchema }),
      skip_special_tokens: false,
      no_stop_trim: true,
    },
  };
}
