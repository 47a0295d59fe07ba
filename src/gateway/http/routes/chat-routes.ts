import { Hono } from 'hono';
import type { ChatMessage } from '../../../shared/domain/interaction';
import { chatCompletionRequestSchema } from '../../../shared/wire/openai-chat';
import type { InteractionEvent, InteractionRunner, RunningAnswer } from '../../actions/run-interaction';
import { withoutNulls } from '../../interactions/conversation-tree';
import { refusal } from '../../platform/refusal';
import { toChatCall } from '../../protocols/openai-chat/chat-call';
import {
  type CompletionHead,
  completionBody,
  finalChunk,
  roleChunk,
  textChunk,
} from '../../protocols/openai-chat/completion-body';
import type { SessionManager } from '../../sessions/session-manager';
import { readToken } from '../auth';
import { errorBody, errorResponse } from '../error-response';
import { readJson } from '../read-json';
import { DONE_FRAME, dataFrame, eventStream } from '../sse';

export interface ChatRoutesPorts {
  readonly manager: SessionManager;
  readonly runner: InteractionRunner;
  readonly modelName: string;
  readonly bodyLimitBytes: number;
}

/** OpenAI's chat completions, streamed and whole, under AReaL's path and OpenAI's. */
export function chatRoutes(ports: ChatRoutesPorts): Hono {
  const routes = new Hono();
  for (const path of ['/chat/completions', '/v1/chat/completions'])
    routes.post(path, (context) => answer(ports, context.req.raw));
  return routes;
}

async function answer(ports: ChatRoutesPorts, request: Request): Promise<Response> {
  const identified = ports.manager.authenticate(readToken(request));
  if (!identified.ok) return errorResponse(identified.error);
  const body = await readJson(request, chatCompletionRequestSchema, ports.bodyLimitBytes);
  if (!body.ok) return errorResponse(body.error);
  const messages = withoutNulls(body.value.messages) as ChatMessage[]; // parsed messages minus null-valued keys
  const call = toChatCall(body.value, messages);
  if (!call.ok) return errorResponse(refusal('unsupported-parameter', call.error.message, call.error.param));

  const client = new AbortController();
  request.signal.addEventListener('abort', () => client.abort(), { once: true });
  // Reading the body took time: the session may have ended meanwhile.
  const session = ports.manager.authenticate(readToken(request));
  if (!session.ok) return errorResponse(session.error);
  const started = ports.runner.start(session.value, call.value, client.signal);
  if (!started.ok) return errorResponse(started.error);

  const head: CompletionHead = {
    id: started.value.id,
    sessionId: session.value.id,
    createdAt: started.value.createdAt,
    model: ports.modelName,
  };
  return call.value.stream ? streamed(head, started.value, client) : whole(head, started.value);
}

async function whole(head: CompletionHead, answer: RunningAnswer): Promise<Response> {
  for await (const event of answer.events) {
    if (event.kind === 'end') return Response.json(completionBody(head, event.text, event));
    if (event.kind === 'refused') return errorResponse(event.refusal);
  }
  throw new Error(`interaction ${head.id} ended without an outcome`);
}

/** Waits for the first event, so that a failure before the first token still has its own status. */
async function streamed(head: CompletionHead, answer: RunningAnswer, client: AbortController): Promise<Response> {
  const events = answer.events[Symbol.asyncIterator]();
  const first = await events.next();
  if (first.done !== true && first.value.kind === 'refused') return errorResponse(first.value.refusal);
  return eventStream(toFrames(head, first, events), () => client.abort());
}

async function* toFrames(
  head: CompletionHead,
  first: IteratorResult<InteractionEvent>,
  events: AsyncIterator<InteractionEvent>,
): AsyncGenerator<string, void, undefined> {
  yield dataFrame(roleChunk(head));
  for (let next = first; next.done !== true; next = await events.next()) {
    const event = next.value;
    switch (event.kind) {
      case 'text-delta':
        yield dataFrame(textChunk(head, event.text, event.versionRuns));
        break;
      case 'end':
        yield dataFrame(finalChunk(head, event)) + DONE_FRAME;
        return;
      case 'refused':
        yield dataFrame(errorBody(event.refusal));
        return;
    }
  }
}
