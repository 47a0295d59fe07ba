import { Hono } from 'hono';
import type { ChoiceEnd, TokenLogprob } from '../../../shared/domain/answer';
import type { ChatMessage } from '../../../shared/domain/interaction';
import { type ChatCompletionChunk, chatCompletionRequestSchema } from '../../../shared/wire/openai-chat';
import type { Presence } from '../../actions/presence';
import type { RunEvent, RunningAnswer } from '../../actions/run-interaction';
import { withoutNulls } from '../../interactions/canonical-json';
import { refusal } from '../../platform/refusal';
import { toChatCall } from '../../protocols/openai-chat/chat-call';
import {
  completionBody,
  deltaChunks,
  finishChunk,
  roleChunk,
  usageChunk,
  withUsage,
} from '../../protocols/openai-chat/completion-body';
import { findMessageProblem, toStoredMessages } from '../../protocols/openai-chat/input-messages';
import { type AnswerCallPorts, presenceOf, readSessionCall, readStartOptions } from '../answer-call';
import { errorBody } from '../error-response';
import { type CallRequest, errorReply, jsonReply, type Reply, streamReply, toResponse } from '../reply';
import { DONE_FRAME, dataFrame } from '../sse';

/** OpenAI's chat completions, streamed and whole, under AReaL's path and OpenAI's. */
export function chatRoutes(ports: AnswerCallPorts): Hono {
  const routes = new Hono();
  for (const path of CHAT_PATHS)
    routes.post(path, async (context) => {
      const request = context.req.raw;
      const client = presenceOf(request);
      return toResponse(await answerChat(ports, request, client), () => client.leave());
    });
  return routes;
}

export const CHAT_PATHS = ['/chat/completions', '/v1/chat/completions'];

export async function answerChat(ports: AnswerCallPorts, request: CallRequest, client: Presence): Promise<Reply> {
  const read = await readSessionCall(ports, request, chatCompletionRequestSchema);
  if (!read.ok) return errorReply(read.error);
  const { session, body } = read.value;
  const messages = withoutNulls(body.messages) as ChatMessage[]; // parsed messages minus null-valued keys
  const problem = findMessageProblem(messages);
  if (problem !== null) return errorReply(refusal('bad-request', problem.message, problem.param));
  const call = toChatCall(body, toStoredMessages(messages));
  if (!call.ok) return errorReply(refusal('unsupported-parameter', call.error.message, call.error.param));

  const stream = body.stream === true;
  const started = ports.runner.start(session, call.value, readStartOptions(request, { client, stream }));
  if (!started.ok) return errorReply(started.error);
  const asks = {
    usageChunk: body.stream_options?.include_usage === true,
    logprobs: call.value.topLogprobs !== null,
  };
  return stream ? streamed(started.value, asks) : whole(started.value, asks);
}

/** What the client wants to have told beside the text. */
interface Asks {
  readonly usageChunk: boolean;
  readonly logprobs: boolean;
}

async function whole({ head, events }: RunningAnswer, asks: Asks): Promise<Reply> {
  const choices: (ChoiceEnd & { readonly logprobs: readonly TokenLogprob[] | null })[] = [];
  const logprobs = new Map<number, TokenLogprob[]>();
  for await (const event of events) {
    if (event.kind === 'delta' && asks.logprobs) {
      const known = logprobs.get(event.choice) ?? [];
      known.push(...event.logprobs);
      logprobs.set(event.choice, known);
    }
    if (event.kind === 'choice-end')
      choices.push({ ...event, logprobs: asks.logprobs ? (logprobs.get(event.choice) ?? []) : null });
    if (event.kind === 'end') return jsonReply(completionBody(head, choices, event));
    if (event.kind === 'refused') return errorReply(event.refusal);
  }
  throw new Error(`answer ${head.id} ended without an outcome`);
}

/** Waits for the first event, so that a failure before the first token still has its own status. */
async function streamed(answer: RunningAnswer, asks: Asks): Promise<Reply> {
  const events = answer.events[Symbol.asyncIterator]();
  const first = await events.next();
  if (first.done !== true && first.value.kind === 'refused') return errorReply(first.value.refusal);
  return streamReply(toFrames({ ...answer, asks }, first, events));
}

async function* toFrames(
  { head, asks }: RunningAnswer & { readonly asks: Asks },
  first: IteratorResult<RunEvent>,
  events: AsyncIterator<RunEvent>,
): AsyncGenerator<string, void, undefined> {
  yield dataFrame(roleChunk(head, 0));
  let begun = 1;
  // Held back until the next event: the last chunk of all carries the usage.
  let held: ChatCompletionChunk | null = null;
  for (let next = first; next.done !== true; next = await events.next()) {
    const event = next.value;
    if (held !== null && event.kind !== 'end') {
      yield dataFrame(held);
      held = null;
    }
    // Choices after the first are begun in their order, when one of them is first heard of.
    if (event.kind === 'delta' || event.kind === 'choice-end')
      for (; begun <= event.choice; begun += 1) yield dataFrame(roleChunk(head, begun));
    switch (event.kind) {
      case 'delta':
        for (const chunk of deltaChunks(head, event)) yield dataFrame(chunk);
        break;
      case 'choice-end':
        held = finishChunk(head, event);
        break;
      case 'end':
        if (held !== null) yield dataFrame(withUsage(held, event));
        yield (asks.usageChunk ? dataFrame(usageChunk(head, event)) : '') + DONE_FRAME;
        return;
      case 'refused':
        yield dataFrame(errorBody(event.refusal));
        return;
    }
  }
}
