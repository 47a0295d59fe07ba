import { type Context, Hono } from 'hono';
import type { ChatCall } from '../../../shared/domain/chat-call';
import { err, ok, type Result } from '../../../shared/lib/result';
import {
  type CountTokensRequest,
  countTokensRequestSchema,
  type MessagesRequest,
  messagesRequestSchema,
} from '../../../shared/wire/anthropic-messages';
import { COUNTED_CONTEXTS, countPromptTokens } from '../../actions/count-prompt-tokens';
import type { PrepareCallPorts } from '../../actions/prepare-call';
import { errorText, type Logger } from '../../platform/logger';
import { REFUSALS, type Refusal, refusal } from '../../platform/refusal';
import { anthropicErrorBody } from '../../protocols/anthropic-messages/error-body';
import { MessageWriter } from '../../protocols/anthropic-messages/message-writer';
import { toMessagesCall } from '../../protocols/anthropic-messages/messages-call';
import { toStoreRefusal } from '../../store/store-refusal';
import { type AnswerCallPorts, type AnswerWriter, answerCall, presenceOf, readCall } from '../answer-call';
import { markDurable } from '../durable-reply';
import { retryHeaders } from '../error-response';
import { jsonReply, type Reply, toResponse } from '../reply';
import { requestIdOf } from '../request-log';
import { namedFrames } from '../sse';

export interface MessagesRoutesPorts extends AnswerCallPorts, PrepareCallPorts {
  readonly logger: Logger;
}

/** Anthropic's messages, streamed and whole, and its token counting. */
export function messagesRoutes(ports: MessagesRoutesPorts): Hono {
  const routes = new Hono();
  for (const path of ['/messages', '/v1/messages']) {
    routes.post(path, async (context) => {
      const client = presenceOf(context.req.raw);
      const reply = await answerCall(ports, context.req.raw, client, {
        schema: messagesRequestSchema,
        read: readCall,
        translate: (request) => {
          const call = toCall(request);
          if (!call.ok) return call;
          const stream = request.stream === true;
          const createWriter = ({ head }: { readonly head: ConstructorParameters<typeof MessageWriter>[0] }) =>
            framing(new MessageWriter(head), stream, requestIdOf(context));
          return ok({ call: call.value, stream, createWriter });
        },
        refuse: (reason) => refusalReply(reason, requestIdOf(context)),
      });
      markDurable(context);
      return toResponse(reply, () => client.leave());
    });
    routes.post(`${path}/count_tokens`, async (context) => {
      const refuse = refuserOf(context);
      const read = await readCall(ports, context.req.raw, countTokensRequestSchema, COUNTED_CONTEXTS);
      if (!read.ok) return refuse(read.error);
      const call = toCall(read.value.body);
      if (!call.ok) return refuse(call.error);
      const count = countPromptTokens(ports, call.value);
      return count.ok ? context.json({ input_tokens: count.value }) : refuse(count.error);
    });
  }
  routes.onError((error, context) => {
    ports.logger.log('error', 'request-failed', { request_id: requestIdOf(context), error: errorText(error) });
    return refuserOf(context)(toStoreRefusal(error));
  });
  return routes;
}

function toCall(request: CountTokensRequest & Partial<MessagesRequest>): Result<ChatCall, Refusal> {
  const call = toMessagesCall(request);
  return call.ok ? call : err(refusal('unsupported-parameter', call.error.message, call.error.param));
}

/** Errors in Anthropic's body, which has no place for a parameter's name: the sentence holds it. */
function refusalReply(reason: Refusal, requestId: string | null): Reply {
  const { status } = REFUSALS[reason.kind];
  return { ...jsonReply(anthropicErrorBody(status, reason.message, requestId), retryHeaders(reason)), status };
}

function refuserOf(context: Context): (reason: Refusal) => Response {
  return (reason) => toResponse(refusalReply(reason, requestIdOf(context)), () => undefined);
}

function framing(writer: MessageWriter, stream: boolean, requestId: string | null): AnswerWriter {
  return {
    get body() {
      return writer.body;
    },
    begin: () => namedFrames(stream, writer.begin()),
    add: (event) => namedFrames(stream, writer.add(event)),
    finish: (event) => namedFrames(stream, writer.finish(event)),
    fail: ({ kind, message }) => namedFrames(stream, [anthropicErrorBody(REFUSALS[kind].status, message, requestId)]),
  };
}
