import type { z } from 'zod';
import type { AnswerEvent } from '../../shared/domain/answer';
import type { ChatCall } from '../../shared/domain/chat-call';
import type { Session } from '../../shared/domain/session';
import type { Result } from '../../shared/lib/result';
import type { Listener } from '../actions/audience';
import { Presence } from '../actions/presence';
import type { InteractionRunner, RunEvent, RunningAnswer, StartOptions } from '../actions/run-interaction';
import { type Refusal, refusal } from '../platform/refusal';
import type { SessionManager } from '../sessions/session-manager';
import { readToken } from './auth';
import { findExcess } from './call-limits';
import { readJson } from './read-json';
import { type CallRequest, jsonReply, type Reply, streamReply } from './reply';

export interface AnswerCallPorts {
  readonly manager: SessionManager;
  readonly runner: InteractionRunner;
  readonly bodyLimitBytes: number;
}

/** Writes the answer of one call in its dialect: server-sent frames for a stream, a body for a whole one. */
export interface AnswerWriter {
  readonly body: unknown;
  begin(): string;
  add(event: Exclude<AnswerEvent, { kind: 'end' }>): string;
  /** The answer is whole; the body is, too. */
  finish(event: Extract<AnswerEvent, { kind: 'end' }>): string;
  /** The answer was begun and cannot be had. */
  fail(reason: Refusal): string;
  /** Brings to the disk what `finish` stored; left out by writers that store nothing. */
  settle?(): Promise<void>;
}

/** A request in the gateway's words, and how its answer is written. */
export interface TranslatedCall {
  readonly call: ChatCall;
  readonly stream: boolean;
  createWriter(answer: RunningAnswer): AnswerWriter;
  /** as in {@link StartOptions} */
  readonly record?: StartOptions['record'];
}

/** What sets one dialect apart. */
export interface AnswerDialect<S extends z.ZodType> {
  readonly schema: S;
  readonly read: typeof readSessionCall<S>;
  translate(body: z.infer<S>, session: Session): Result<TranslatedCall, Refusal>;
  refuse(reason: Refusal): Reply;
}

/** Parse, authenticate, run, answer: one call in any dialect. */
export async function answerCall<S extends z.ZodType>(
  ports: AnswerCallPorts,
  request: CallRequest,
  client: Presence,
  dialect: AnswerDialect<S>,
): Promise<Reply> {
  const read = await dialect.read(ports, request, dialect.schema);
  if (!read.ok) return dialect.refuse(read.error);
  const { session, body } = read.value;
  const translated = dialect.translate(body, session);
  if (!translated.ok) return dialect.refuse(translated.error);
  const { call, stream, createWriter, record } = translated.value;
  const started = ports.runner.start(session, call, { ...readStartOptions(request, { client, stream }), record });
  if (!started.ok) return dialect.refuse(started.error);
  const writer = createWriter(started.value);
  return stream ? streamed(started.value, writer, dialect) : whole(started.value, writer, dialect);
}

/** The client of a request of the web kind. */
export function presenceOf({ signal }: Pick<Request, 'signal'>): Presence {
  const client = new Presence();
  if (signal.aborted) client.leave();
  else signal.addEventListener('abort', () => client.leave(), { once: true });
  return client;
}

/** What the headers of a request say about its retries; an empty key is none. */
function readStartOptions({ headers }: CallRequest, listener: Listener): StartOptions {
  const idempotencyKey = headers.get('idempotency-key')?.trim() ?? '';
  return {
    ...listener,
    idempotencyKey: idempotencyKey === '' ? null : idempotencyKey,
    retryCount: Number(headers.get('x-stainless-retry-count') ?? 0) || 0,
  };
}

/**
 * The session of the key and the parsed body.
 *
 * @param contexts - how many of the model's contexts the prompt may fill
 */
export async function readSessionCall<S extends z.ZodType>(
  { manager, runner, bodyLimitBytes }: AnswerCallPorts,
  request: CallRequest,
  schema: S,
  contexts = 1,
): Promise<Result<{ readonly session: Session; readonly body: z.infer<S> }, Refusal>> {
  const identified = manager.authenticate(readToken(request));
  if (!identified.ok) return identified;
  const body = await readJson(request, schema, bodyLimitBytes, (value, bytes) =>
    findExcess(value, bytes, { bodyLimitBytes, contextLength: runner.contextLength, contexts }),
  );
  if (!body.ok) return body;
  // Reading the body took time: the session may have ended meanwhile.
  const session = manager.authenticate(readToken(request));
  return session.ok ? { ok: true, value: { session: session.value, body: body.value } } : session;
}

/** As {@link readSessionCall}, for dialects that have one status for every bad body: 400. */
export async function readCall<S extends z.ZodType>(
  ports: AnswerCallPorts,
  request: CallRequest,
  schema: S,
  contexts = 1,
): Promise<Result<{ readonly session: Session; readonly body: z.infer<S> }, Refusal>> {
  const read = await readSessionCall(ports, request, schema, contexts);
  return read.ok || read.error.kind !== 'bad-body'
    ? read
    : { ok: false, error: refusal('bad-request', read.error.message, read.error.param) };
}

type Manners = Pick<AnswerDialect<z.ZodType>, 'refuse'>;

async function whole({ head, events }: RunningAnswer, writer: AnswerWriter, dialect: Manners): Promise<Reply> {
  for await (const event of events) {
    if (event.kind === 'refused') return dialect.refuse(event.refusal);
    if (event.kind === 'end') {
      writer.finish(event);
      await writer.settle?.();
      return jsonReply(writer.body);
    }
    writer.add(event);
  }
  throw new Error(`answer ${head.id} ended without an outcome`);
}

/** Waits for the first event, so that a failure before the first token still has its own status. */
async function streamed(answer: RunningAnswer, writer: AnswerWriter, dialect: Manners): Promise<Reply> {
  const events = answer.events[Symbol.asyncIterator]();
  const first = await events.next();
  if (first.done !== true && first.value.kind === 'refused') return dialect.refuse(first.value.refusal);
  return streamReply(toFrames(writer, first, events));
}

async function* toFrames(
  writer: AnswerWriter,
  first: IteratorResult<RunEvent>,
  events: AsyncIterator<RunEvent>,
): AsyncGenerator<string, void, undefined> {
  yield writer.begin();
  for (let next = first; next.done !== true; next = await events.next()) {
    const event = next.value;
    if (event.kind === 'refused') return yield writer.fail(event.refusal);
    if (event.kind === 'end') {
      const last = writer.finish(event);
      await writer.settle?.();
      return yield last;
    }
    const text = writer.add(event);
    if (text !== '') yield text;
  }
}
