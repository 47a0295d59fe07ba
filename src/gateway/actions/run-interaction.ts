import type { AnswerEvent, AnswerHead, ChoiceEnd } from '../../shared/domain/answer';
import type { ChatCall } from '../../shared/domain/chat-call';
import { type InteractionId, interactionId, type SessionId } from '../../shared/domain/ids';
import type { Session } from '../../shared/domain/session';
import { err, ok, type Result } from '../../shared/lib/result';
import { Cancellation } from '../platform/cancellation';
import { errorText } from '../platform/logger';
import { growingHex } from '../platform/random';
import { type Refusal, refusal } from '../platform/refusal';
import type { StoredRequest } from '../store/interactions';
import { toStoreRefusal } from '../store/store-refusal';
import { AnswerCollector } from './answer-collector';
import { choiceId, type RunEvent, type RunningAnswer } from './answer-events';
import { AnswerTape } from './answer-tape';
import { Audience, type Listener } from './audience';
import { CachedTokens } from './cached-tokens';
import { type EarlierRequestPorts, findKeyed, findUndelivered, type RetrySigns } from './earlier-request';
import { type LiveRequest, LiveRequests } from './live-requests';
import {
  contextLengthOf,
  findTooMuchText,
  type PrepareCallPorts,
  type PreparedCall,
  prepareCall,
} from './prepare-call';
import { canReplay, replayEvents, storedHead } from './replay-answer';
import { lazyRequestKey } from './request-key';
import { type Choice, type RunChoicePorts, runChoice } from './run-choice';

export type { RunEvent, RunningAnswer } from './answer-events';

/** How the client asked; nothing of it changes what is sampled. */
export interface StartOptions extends Listener, RetrySigns {
  /**
   * Stores what the dialect keeps of an answer beside its interaction, in the same commit; with everything the answer
   * says. Called only when the answer is sampled for this request, which must ask for one completion. It may be called
   * again when the commit has to be repeated, and must do nothing but write to the database.
   */
  readonly record?: (head: AnswerHead, events: readonly AnswerEvent[]) => void;
}

export interface RunInteractionPorts extends PrepareCallPorts, RunChoicePorts {
  /** milliseconds a whole answer goes on after its last client went away */
  readonly retryGraceMs: number;
}

/**
 * Runs calls: render, ask the engine, commit as running, sample, commit as finished, answer.
 *
 * The first commit is made while the engine begins, so that nobody waits for it; no delta is told before it.
 *
 * A retry does not fork the conversation: it joins the equal request that still runs, or is given the stored answer again.
 * One instance per gateway. `close` aborts what runs and waits until every row is committed.
 */
export class InteractionRunner {
  readonly #live = new LiveRequests();
  readonly #cachedTokens = new CachedTokens();
  readonly #work = new Set<Promise<void>>();
  readonly #retryPorts: EarlierRequestPorts;
  #isClosing = false;

  constructor(private readonly ports: RunInteractionPorts) {
    this.#retryPorts = { interactions: ports.interactions, live: this.#live };
  }

  /** Tokens that prompt and answer together may have, as far as is known now. */
  get contextLength(): number {
    return contextLengthOf(this.ports);
  }

  start(session: Session, call: ChatCall, options: StartOptions): Result<RunningAnswer, Refusal> {
    if (this.#isClosing) return err(refusal('closing', 'The gateway is closing. Try again when it is back.'));
    const tooMuch = findTooMuchText(this.ports, call);
    if (tooMuch !== null) return err(tooMuch);
    const key = lazyRequestKey(call);
    const keyed = findKeyed(this.#retryPorts, session, key, options);
    if (!keyed.ok) return keyed;
    const equals = this.#live.findEqual(session.id, key, options.idempotencyKey);
    // One that was given up ends in the middle of its answer.
    const running = equals.find((live) => !live.cancellation.aborted);
    if (running !== undefined) return ok(this.#join(running, options));

    const prepared = prepareCall(this.ports, call, { conversation: session.id });
    if (!prepared.ok) return prepared;
    const earlier = keyed.value ?? findUndelivered(this.#retryPorts, session, key, options);
    const isRetry = options.idempotencyKey !== null || options.retryCount > 0;
    if (isRetry && earlier !== null && canReplay(earlier, call)) {
      const replayed = this.#replay(session, earlier, { call, prepared: prepared.value });
      if (replayed !== null) return ok(replayed);
    }
    const orphans = [...equals.flatMap((live) => live.ids), ...(earlier?.choices.map(({ id }) => id) ?? [])];
    return ok(this.#sample({ session, call, key, orphans }, prepared.value, options));
  }

  /** Stops every answer of an aborted session; what was sampled is kept as evidence. @returns how many answers ran */
  cancelSession(id: SessionId): number {
    const live = this.#live.ofSession(id);
    for (const { cancellation } of live) cancellation.abort();
    return live.reduce((sum, { ids }) => sum + ids.length, 0);
  }

  /** The session is over: nothing of it is kept for a retry. */
  forgetSession(id: SessionId): void {
    this.#cachedTokens.forget(id);
    this.ports.interactions.forgetSession(id);
  }

  /** Refuses new work; what is running may end. */
  stopIntake(): void {
    this.#isClosing = true;
  }

  async close(): Promise<void> {
    this.stopIntake();
    for (const { cancellation } of this.#live.all()) cancellation.abort();
    await Promise.all(this.#work);
  }

  #join(live: LiveRequest, listener: Listener): RunningAnswer {
    live.audience.join(listener);
    return { head: live.head, events: this.#delivered(live, listener) };
  }

  #replay(
    session: Session,
    earlier: StoredRequest,
    source: { readonly call: ChatCall; readonly prepared: PreparedCall },
  ): RunningAnswer | null {
    const { database, interactions, sessions, tokenizer } = this.ports;
    const cachedTokens = this.#cachedTokens.find(earlier.choices[0]?.id);
    const head = storedHead(earlier.choices, { model: tokenizer.modelName, cachedTokens });
    if (head === null) return null;
    database.transaction(() => {
      sessions.touch(session.id);
      interactions.markDelivery(
        earlier.choices.map(({ id }) => id),
        true,
      );
    });
    const tape = new AnswerTape<RunEvent>();
    for (const event of replayEvents(this.ports, earlier, { ...source, head })) tape.push(event);
    tape.end();
    return { head, events: tape };
  }

  #sample(request: Admission, prepared: PreparedCall, options: StartOptions): RunningAnswer {
    const { clock, random, retryGraceMs, tokenizer } = this.ports;
    const now = clock.now();
    const head: AnswerHead = {
      id: interactionId(`chatcmpl-${growingHex(now, random, 29)}`),
      sessionId: request.session.id,
      createdAt: now,
      model: tokenizer.modelName,
      promptTokens: prepared.task.promptTokenIds.length,
      cachedTokens: prepared.cachedTokens,
    };
    const cancellation = new Cancellation();
    const audience = new Audience(clock, retryGraceMs, {
      onEmpty: () => this.#noteLeft(live),
      onGivenUp: () => cancellation.abort(),
    });
    const live: LiveRequest = {
      head,
      ids: Array.from({ length: request.call.n }, (_, index) => choiceId(head.id, index)),
      idempotencyKey: options.idempotencyKey,
      requestKey: request.key,
      tape: new AnswerTape<RunEvent>(),
      audience,
      cancellation,
      delivery: 'open',
    };
    audience.join(options);
    this.#live.add(live);
    this.#cachedTokens.note(head);
    const choices = this.#choicesOf(request, prepared, live, options.record);
    const work = this.#run(live, choices)
      .catch((error: unknown) => {
        this.ports.logger.log('error', 'answer-lost', { interaction_id: head.id, error: errorText(error) });
        live.tape.push({ kind: 'refused', refusal: toStoreRefusal(error) });
      })
      .finally(() => {
        this.#live.remove(live);
        audience.end();
        live.tape.end();
        this.#work.delete(work);
      });
    this.#work.add(work);
    return { head, events: this.#delivered(live, options) };
  }

  #choicesOf(request: Admission, prepared: PreparedCall, live: LiveRequest, record: StartOptions['record']): Choice[] {
    const { call, session } = request;
    const { task } = prepared;
    const admitted = this.ports.commits.commit(() => this.#admit(request, prepared, live));
    // What is not recorded must not be sampled either.
    admitted.then(
      (refused) => refused !== null && live.cancellation.abort(),
      () => live.cancellation.abort(),
    );
    return live.ids.map((id, index) => ({
      id,
      sessionId: session.id,
      index,
      admitted,
      messages: call.messages,
      // One seed for all would sample the same completion n times.
      task: task.seed === null ? task : { ...task, seed: task.seed + index },
      collector: new AnswerCollector(this.ports.tokenizer, {
        stopStrings: call.stopStrings,
        parser: prepared.createParser(),
        markers: this.ports.format.markers,
        endsAfterToolCall: !call.parallelToolCalls,
        topLogprobs: call.topLogprobs,
      }),
      record: record === undefined ? null : (end) => record(live.head, [...toldBy(live), end, endOf(live.head, [end])]),
      isAbandoned: () => live.audience.isEmpty,
    }));
  }

  /** Stores one running row per choice, and makes orphans of those it replaces. @returns why not, or null */
  #admit({ session, call, orphans }: Admission, { task }: PreparedCall, live: LiveRequest): Refusal | null {
    const { interactions, sessions } = this.ports;
    // It may have ended between the request and its commit.
    if (!sessions.touch(session.id)) return sessions.explainEnd(session);
    if (orphans.length > 0) interactions.markReplaced(orphans, live.head.id);
    const parentId = sessions.findParent(session.id, call.messages);
    for (const [index, id] of live.ids.entries())
      interactions.insertRunning({
        id,
        sessionId: session.id,
        parentId,
        messages: call.messages,
        promptTokenIds: task.promptTokenIds,
        temperature: call.temperature,
        // A mask of a grammar or of top-k is no part of the distribution that is trained.
        distorted: call.distorted || call.topK !== null || call.responseFormat.kind !== 'text',
        createdAt: live.head.createdAt,
        dialect: call.dialect,
        choice: index,
        requestKey: live.requestKey(),
        idempotencyKey: live.idempotencyKey,
        tools: call.tools,
        metadata: call.metadata,
      });
    return null;
  }

  async #run(live: LiveRequest, choices: readonly Choice[]): Promise<void> {
    const ends: ChoiceEnd[] = [];
    let failure: Refusal | null = null;
    const push = (event: AnswerEvent): void => {
      if (failure === null) live.tape.push(event);
    };
    const runs = choices.map(async (choice) => {
      const outcome = await runChoice(this.ports, choice, live.cancellation, push);
      if (outcome.kind === 'choice-end') {
        push(outcome);
        ends.push(outcome);
      } else if (failure === null) {
        // One completion that cannot be had is no answer to a request for n: the others need not go on.
        failure = outcome.refusal;
        live.cancellation.abort();
        live.tape.push(outcome);
      }
    });
    await Promise.all(runs);
    if (failure !== null) {
      this.#markDelivery(live, 'missed');
      return;
    }
    push(endOf(live.head, ends));
  }

  /** The events as one client hears them; whoever is handed the end has got the answer. */
  #delivered(live: LiveRequest, { client }: Listener): AsyncIterable<RunEvent> {
    return live.tape.read((event) => {
      if (event.kind === 'end' && !client.isGone) this.#markDelivery(live, 'got');
    });
  }

  #noteLeft(live: LiveRequest): void {
    if (live.delivery === 'open') this.#markDelivery(live, 'missed');
  }

  /** Rows are stored as delivered, so that only what deviates costs a write. */
  #markDelivery(live: LiveRequest, delivery: 'got' | 'missed'): void {
    const before = live.delivery;
    live.delivery = delivery;
    if (before === delivery || (before === 'open' && delivery === 'got')) return;
    try {
      this.ports.interactions.markDelivery(live.ids, delivery === 'got');
    } catch (error) {
      this.ports.logger.log('error', 'delivery-not-noted', { interaction_id: live.head.id, error: errorText(error) });
    }
  }
}

/** A request that is sampled anew. */
interface Admission {
  readonly session: Session;
  readonly call: ChatCall;
  readonly key: () => string;
  /** earlier equal requests that nobody got the answer of */
  readonly orphans: readonly InteractionId[];
}

function endOf({ promptTokens, cachedTokens }: AnswerHead, ends: readonly ChoiceEnd[]): AnswerEvent {
  const sum = (of: (end: ChoiceEnd) => number): number => ends.reduce((total, end) => total + of(end), 0);
  return {
    kind: 'end',
    promptTokens,
    cachedTokens,
    completionTokens: sum((end) => end.completionTokens),
    reasoningTokens: sum((end) => end.reasoningTokens),
  };
}

function toldBy({ tape }: LiveRequest): AnswerEvent[] {
  return tape.values.filter((event): event is AnswerEvent => event.kind !== 'refused');
}
