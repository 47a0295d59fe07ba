import { Hono } from 'hono';
import type { ChatMessage } from '../../../shared/domain/interaction';
import { err, ok, type Result } from '../../../shared/lib/result';
import { type ChatCompletionRequest, chatCompletionRequestSchema } from '../../../shared/wire/openai-chat';
import type { Presence } from '../../actions/presence';
import { withoutNulls } from '../../interactions/canonical-json';
import { type Refusal, refusal } from '../../platform/refusal';
import { toChatCall } from '../../protocols/openai-chat/chat-call';
import { CompletionWriter } from '../../protocols/openai-chat/completion-writer';
import { findMessageProblem, toStoredMessages } from '../../protocols/openai-chat/input-messages';
import {
  type AnswerCallPorts,
  type AnswerDialect,
  type AnswerWriter,
  answerCall,
  presenceOf,
  readSessionCall,
  type TranslatedCall,
} from '../answer-call';
import { markDurable } from '../durable-reply';
import { errorBody } from '../error-response';
import { type CallRequest, errorReply, type Reply, toResponse } from '../reply';
import { DONE_FRAME, dataFrame } from '../sse';

/** AReaL's path and OpenAI's. */
export const CHAT_PATHS = ['/chat/completions', '/v1/chat/completions'];

/** OpenAI's chat completions, streamed and whole, under AReaL's path and OpenAI's. */
export function chatRoutes(ports: AnswerCallPorts): Hono {
  const routes = new Hono();
  for (const path of CHAT_PATHS)
    routes.post(path, async (context) => {
      const client = presenceOf(context.req.raw);
      const reply = await answerChat(ports, context.req.raw, client);
      markDurable(context);
      return toResponse(reply, () => client.leave());
    });
  return routes;
}

/** Answers one chat completion, whoever carries the request. What the reply acknowledges is on disk. */
export function answerChat(ports: AnswerCallPorts, request: CallRequest, client: Presence): Promise<Reply> {
  return answerCall(ports, request, client, DIALECT);
}

const DIALECT: AnswerDialect<typeof chatCompletionRequestSchema> = {
  schema: chatCompletionRequestSchema,
  read: readSessionCall,
  translate,
  refuse: errorReply,
};

function translate(body: ChatCompletionRequest): Result<TranslatedCall, Refusal> {
  const messages = withoutNulls(body.messages) as ChatMessage[]; // parsed messages minus null-valued keys
  const problem = findMessageProblem(messages);
  if (problem !== null) return err(refusal('bad-request', problem.message, problem.param));
  const call = toChatCall(body, toStoredMessages(messages));
  if (!call.ok) return err(refusal('unsupported-parameter', call.error.message, call.error.param));
  const stream = body.stream === true;
  const asks = {
    stream,
    usageChunk: body.stream_options?.include_usage === true,
    logprobs: call.value.topLogprobs !== null,
  };
  return ok({
    call: call.value,
    stream,
    createWriter: ({ head }) => framing(new CompletionWriter(head, asks), stream),
  });
}

function framing(writer: CompletionWriter, stream: boolean): AnswerWriter {
  const toFrames = (chunks: ReturnType<CompletionWriter['add']>): string => chunks.map(dataFrame).join('');
  return {
    get body() {
      return writer.body;
    },
    begin: () => toFrames(writer.begin()),
    add: (event) => toFrames(writer.add(event)),
    finish: (event) => toFrames(writer.finish(event)) + (stream ? DONE_FRAME : ''),
    fail: (reason) => toFrames(writer.fail()) + dataFrame(errorBody(reason)),
  };
}
