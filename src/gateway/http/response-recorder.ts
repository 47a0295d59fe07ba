import type { AnswerEvent, AnswerHead } from '../../shared/domain/answer';
import { toInteractionId } from '../../shared/domain/answer-ids';
import type { SessionId } from '../../shared/domain/ids';
import type { ChatMessage } from '../../shared/domain/interaction';
import type { ResponseRequest } from '../../shared/wire/openai-responses';
import { toChatMessage } from '../actions/answer-message';
import type { Clock } from '../platform/clock';
import { REFUSALS } from '../platform/refusal';
import { ResponseWriter } from '../protocols/openai-responses/response-writer';
import type { Database } from '../store/database';
import type { ResponseStore } from '../store/responses';
import type { AnswerWriter } from './answer-call';
import { namedFrames } from './sse';

export interface ResponseRecorderPorts {
  readonly responses: ResponseStore;
  readonly database: Database;
  readonly clock: Clock;
}

/** What is known of a response before there is an answer. */
export interface ResponseOrigin {
  readonly request: ResponseRequest;
  readonly sessionId: SessionId;
  /** what the request adds to its conversation, instructions left out */
  readonly ownMessages: readonly ChatMessage[];
}

/**
 * Keeps the response of one request, unless its client asked not to, so that it can be fetched and continued.
 *
 * One that is sampled for this request is stored by {@link record}, in the commit of its interaction. One that was sampled
 * for an equal request is stored when its end is written, which costs a wait for the disk of its own.
 */
export class ResponseRecorder {
  /** milliseconds since the epoch; null = not stored by `record` */
  #recordedAt: number | null = null;

  constructor(
    private readonly ports: ResponseRecorderPorts,
    private readonly origin: ResponseOrigin,
  ) {}

  /** Writes to the database and nothing else: it may be called again when a commit has to be repeated. */
  record(head: AnswerHead, events: readonly AnswerEvent[]): void {
    if (this.origin.request.store === false) return;
    this.#recordedAt = this.ports.clock.now();
    const writer = new ResponseWriter(head, this.origin.request);
    let output: ChatMessage | null = null;
    for (const event of events) {
      if (event.kind === 'end') writer.finish(event, this.#recordedAt);
      else writer.add(event);
      if (event.kind === 'choice-end') output = toChatMessage(event.message);
    }
    this.#insert(writer, output);
  }

  /** @param stream - whether anybody reads the frames */
  createWriter(head: AnswerHead, stream: boolean): AnswerWriter {
    const writer = new ResponseWriter(head, this.origin.request);
    let output: ChatMessage | null = null;
    let isUnsettled = false;
    return {
      get body() {
        return writer.body;
      },
      begin: () => namedFrames(stream, writer.begin()),
      add: (event) => {
        if (event.kind === 'choice-end') output = toChatMessage(event.message);
        return namedFrames(stream, writer.add(event));
      },
      finish: (event) => {
        const events = writer.finish(event, this.#recordedAt ?? this.ports.clock.now());
        if (writer.body.store && this.#recordedAt === null) {
          this.#insert(writer, output);
          isUnsettled = true;
        }
        return namedFrames(stream, events);
      },
      fail: ({ kind, message }) => namedFrames(stream, writer.fail(REFUSALS[kind].code, message)),
      settle: async () => {
        if (isUnsettled) await this.ports.database.flush();
      },
    };
  }

  #insert({ body }: ResponseWriter, output: ChatMessage | null): void {
    const { sessionId, ownMessages } = this.origin;
    this.ports.responses.insert({
      id: body.id,
      sessionId,
      interactionId: toInteractionId(body.id),
      previousResponseId: body.previous_response_id,
      body,
      messages: output === null ? ownMessages : [...ownMessages, output],
      createdAt: this.ports.clock.now(),
    });
  }
}
