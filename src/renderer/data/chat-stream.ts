import { err, ok, type Result } from '../../shared/lib/result';
import { errorBodySchema } from '../../shared/wire/errors';
import { chatCompletionChunkSchema } from '../../shared/wire/openai-chat';
import { failureOf, type GatewayProblem } from './gateway-problem';
import type { GatewayTransport } from './gateway-request';
import { readServerSentEvents } from './sse-parser';

/** A call of a tool as an answer wrote it; its arguments are the text the model sampled, JSON or not. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** More of one call: the first piece names it, later ones continue its arguments. */
export interface ToolCallPiece {
  readonly index: number;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly arguments: string;
}

export interface ChatMessage {
  readonly role: string;
  readonly content: string;
  /** as on the wire, so that a conversation with calls is found again by what it says */
  readonly tool_calls?: unknown;
}

export interface ChatRequest {
  readonly sessionKey: string;
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly temperature: number;
  readonly maxNewTokens: number;
  readonly signal: AbortSignal;
}

/** What a running answer tells: more text, or how it ended. */
export type ChatEvent =
  | {
      readonly kind: 'delta';
      readonly interactionId: string;
      readonly text: string;
      /** more of what the model thought before it answered */
      readonly reasoning: string;
      readonly calls: readonly ToolCallPiece[];
      /** runs over all output tokens so far; null when the gateway sent none with this frame */
      readonly runs: readonly (readonly [number, number])[] | null;
    }
  | { readonly kind: 'end'; readonly interactionId: string; readonly finishReason: string }
  | { readonly kind: 'problem'; readonly problem: GatewayProblem };

export type ChatStream = AsyncGenerator<ChatEvent>;

/** Starts an answer. A refusal before the first byte is the result; one in mid-answer is the stream's last event. */
export async function openChatStream(
  transport: GatewayTransport,
  request: ChatRequest,
): Promise<Result<ChatStream, GatewayProblem>> {
  const opened = await transport.open({
    method: 'POST',
    path: '/v1/chat/completions',
    key: request.sessionKey,
    signal: request.signal,
    body: {
      model: request.model,
      messages: request.messages,
      temperature: request.temperature,
      max_tokens: request.maxNewTokens,
      stream: true,
      stream_options: { include_usage: true },
    },
  });
  if (!opened.ok) return opened;
  const { body } = opened.value;
  if (body === null) return err({ kind: 'unreadable', message: 'The answer had no body.' });
  return ok(readChatStream(body));
}

async function* readChatStream(body: ReadableStream<Uint8Array>): ChatStream {
  let finished = false;
  try {
    for await (const { data } of readServerSentEvents(body)) {
      if (data === '[DONE]') break;
      for (const event of readFrame(data)) {
        yield event;
        if (event.kind === 'problem') return;
        if (event.kind === 'end') finished = true;
      }
    }
    if (!finished) yield { kind: 'problem', problem: cutOff };
  } catch (error) {
    yield { kind: 'problem', problem: failureOf(error) };
  }
}

const cutOff: GatewayProblem = { kind: 'unreachable', message: 'The connection closed in the middle of the answer.' };

/** One frame is up to two events: the last text and the finish reason may share it. */
function readFrame(data: string): ChatEvent[] {
  const json = parseJson(data);
  const chunk = chatCompletionChunkSchema.safeParse(json);
  if (!chunk.success) return [{ kind: 'problem', problem: problemInFrame(json) }];
  const { id, choices, plaudit } = chunk.data;
  const choice = choices[0];
  // The frame that only tells the usage.
  if (choice === undefined) return [];
  const { content, reasoning_content: reasoning = '', tool_calls: calls = [] } = choice.delta;
  const events: ChatEvent[] = [
    {
      kind: 'delta',
      interactionId: id,
      text: content ?? '',
      reasoning,
      calls: calls.map(({ index, id: callId, function: { name, arguments: text = '' } }) => ({
        index,
        id: callId,
        name,
        arguments: text,
      })),
      runs: plaudit?.version_rle ?? null,
    },
  ];
  const finishReason = choice.finish_reason;
  if (finishReason !== null) events.push({ kind: 'end', interactionId: id, finishReason });
  return events;
}

function problemInFrame(json: unknown): GatewayProblem {
  const refusal = errorBodySchema.pick({ error: true }).safeParse(json);
  if (!refusal.success) return { kind: 'unreadable', message: 'A part of the answer could not be read.' };
  return { kind: 'refused', status: 0, code: refusal.data.error.code, message: refusal.data.error.message };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
