import { Hono } from 'hono';
import { toInteractionId } from '../../../shared/domain/answer-ids';
import type { Session } from '../../../shared/domain/session';
import { err, ok, type Result } from '../../../shared/lib/result';
import { type ResponseRequest, responseRequestSchema } from '../../../shared/wire/openai-responses';
import { COUNTED_CONTEXTS, countPromptTokens } from '../../actions/count-prompt-tokens';
import type { PrepareCallPorts } from '../../actions/prepare-call';
import { type Refusal, refusal } from '../../platform/refusal';
import {
  type ResponseContext,
  type ResponsesCall,
  toResponsesCall,
} from '../../protocols/openai-responses/responses-call';
import type { ResponseStore } from '../../store/responses';
import { type AnswerCallPorts, answerCall, presenceOf, readCall, type TranslatedCall } from '../answer-call';
import { readToken } from '../auth';
import { markDurable } from '../durable-reply';
import { errorResponse } from '../error-response';
import { errorReply, type Reply, toResponse } from '../reply';
import { ResponseRecorder, type ResponseRecorderPorts } from '../response-recorder';

export interface ResponsesRoutesPorts extends AnswerCallPorts, PrepareCallPorts, ResponseRecorderPorts {}

/** OpenAI's responses, streamed and whole, under AReaL's path and OpenAI's. */
export function responsesRoutes(ports: ResponsesRoutesPorts): Hono {
  const routes = new Hono();
  for (const path of ['/responses', '/v1/responses']) {
    routes.post(path, async (context) => {
      const client = presenceOf(context.req.raw);
      const reply = await answerCall(ports, context.req.raw, client, {
        schema: responseRequestSchema,
        read: readCall,
        translate: (request, session) => translate(ports, request, session),
        refuse,
      });
      markDurable(context);
      return toResponse(reply, () => client.leave());
    });
    routes.post(`${path}/input_tokens`, (context) => countInputTokens(ports, context.req.raw));
    routes.get(`${path}/:id`, (context) => {
      const session = ports.manager.authenticate(readToken(context.req.raw));
      if (!session.ok) return errorResponse(session.error);
      const id = context.req.param('id');
      const body = ports.responses.find(id, session.value.id);
      return body === null ? errorResponse(notFound(id)) : context.json(body);
    });
    routes.delete(`${path}/:id`, (context) => {
      const session = ports.manager.authenticate(readToken(context.req.raw));
      if (!session.ok) return errorResponse(session.error);
      const id = context.req.param('id');
      if (!ports.responses.delete(id, session.value.id)) return errorResponse(notFound(id));
      return context.json({ id, object: 'response', deleted: true });
    });
  }
  return routes;
}

/** The runner names fields as chat completions do; this dialect has other names for two of them. */
function refuse(reason: Refusal): Reply {
  const names: Readonly<Record<string, string>> = { messages: 'input', response_format: 'text.format' };
  return errorReply(reason.param === undefined ? reason : { ...reason, param: names[reason.param] ?? reason.param });
}

function translate(
  ports: ResponsesRoutesPorts,
  request: ResponseRequest,
  session: Session,
): Result<TranslatedCall, Refusal> {
  const translated = toCall(ports, request, session);
  if (!translated.ok) return translated;
  const { call, ownMessages } = translated.value;
  const stream = request.stream === true;
  const recorder = new ResponseRecorder(ports, { request, sessionId: session.id, ownMessages });
  return ok({
    call,
    stream,
    createWriter: ({ head }) => recorder.createWriter(head, stream),
    record: (head, events) => recorder.record(head, events),
  });
}

function toCall(
  ports: ResponsesRoutesPorts,
  request: ResponseRequest,
  session: Session,
): Result<ResponsesCall, Refusal> {
  const context = readContext(ports.responses, request, session);
  if (!context.ok) return context;
  const translated = toResponsesCall(request, context.value);
  if (translated.ok) return translated;
  const { message, param } = translated.error;
  return err(refusal('unsupported-parameter', message, param));
}

function readContext(
  responses: ResponseStore,
  request: ResponseRequest,
  session: Session,
): Result<ResponseContext, Refusal> {
  const findItem: ResponseContext['findItem'] = (itemId) => {
    const responseId = toInteractionId(itemId).replace(/^chatcmpl-/, 'resp_');
    return responses.find(responseId, session.id)?.output.find((item) => item.id === itemId) ?? null;
  };
  const previous = request.previous_response_id;
  if (previous === undefined || previous === null) return ok({ history: [], findItem });
  if (responses.find(previous, session.id) === null)
    return err(
      refusal(
        'previous-response-not-found',
        `Previous response with id '${previous}' not found in this session: it may belong to another session, have store = false, or be deleted.`,
        'previous_response_id',
      ),
    );
  return ok({ history: responses.conversation(previous), findItem });
}

async function countInputTokens(ports: ResponsesRoutesPorts, request: Request): Promise<Response> {
  const read = await readCall(ports, request, responseRequestSchema, COUNTED_CONTEXTS);
  if (!read.ok) return errorResponse(read.error);
  const translated = toCall(ports, read.value.body, read.value.session);
  if (!translated.ok) return errorResponse(translated.error);
  const count = countPromptTokens(ports, translated.value.call);
  if (!count.ok) return errorResponse(count.error);
  return Response.json({ object: 'response.input_tokens', input_tokens: count.value });
}

function notFound(id: string): Refusal {
  return refusal('not-found', `Response with id '${id}' not found in this session.`);
}
