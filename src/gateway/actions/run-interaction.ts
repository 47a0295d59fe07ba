import type { AnswerEvent, AnswerHead, ChoiceEnd } from '../../shared/domain/answer';
import type { ChatCall } from '../../shared/domain/chat-call';
import { type InteractionId, interactionId } from '../../shared/domain/ids';
import type { Session } from '../../shared/domain/session';
import { err, ok, type Result } from '../../shared/lib/result';
import { errorText } from '../platform/logger';
import { randomHex } from '../platform/random';
import { type Refusal, refusal } from '../platform/refusal';
import type { Database } from '../store/database';
import { toStoreRefusal } from '../store/store-refusal';
import { AnswerCollector } from './answer-collector';
import { AnswerTape } from './answer-tape';
import { Audience } from './audience';
import { type PrepareCallPorts, type PreparedCall, prepareCall } from './prepare-call';
import { type Choice, type RunChoicePorts, runChoice } from './run-choice';

/** What happens to a running answer, in order: deltas and ends of choices, then exactly one `end` or `refused`. */
export type RunEvent = AnswerEvent | { readonly kind: 'refused'; readonly refusal: Refusal };

/** An admitted request. It runs to its end whether or not anybody reads the events. */
export interface RunningAnswer {
  readonly head: AnswerHead;
  /** may be read once by each client; a late reader hears everything from the beginning */
  readonly events: AsyncIterable<RunEvent>;
}

/** How the client asked; nothing of it changes what is sampled. */
export interface StartOptions {
  /** aborts when the client is gone */
  readonly signal: AbortSignal;
  /** the `Idempotency-Key` header */
  readonly idempotencyKey: string | null;
  /** the `x-stainless-retry-count` header, 0 without it */
  readonly retryCount: number;
  /** the client reads while the answer is made */
  readonly stream: boolean;
}

export interface RunInteractionPorts extends PrepareCallPorts, RunChoicePorts {
  readonly database: Database;
  readonly retryGraceMs: number;
}

/**
 * Runs calls: render, commit as running, sample, commit as finished, answer.
 *
 * One instance per gateway. `close` aborts what runs and waits until every row is committed.
 */
export class InteractionRunner {
  readonly #running = new Map<Promise<void>, AbortController>();
  #isClosing = false;

  constructor(private readonly ports: RunInteractionPorts) {}

  start(session: Session, call: ChatCall, options: StartOptions): Result<RunningAnswer, Refusal> {
    if (this.#isClosing) return err(refusal('closing', 'The gateway is closing. Try again when it is back.'));
    const prepared = prepareCall(this.ports, call);
    if (!prepared.ok) return prepared;
    const { clock, random, retryGraceMs, tokenizer } = this.ports;
    const head: AnswerHead = {
      id: interactionId(`chatcmpl-${randomHex(random, 29)}`),
      sessionId: session.id,
      createdAt: clock.now(),
      model: tokenizer.modelName,
    };
    const controller = new AbortController();
    const audience = new Audience(clock, retryGraceMs, () => controller.abort());
    audience.join(options);
    const choices = this.#admit(session, call, prepared.value, head, () => audience.isEmpty);
    const tape = new AnswerTape<RunEvent>();
    const work = this.#run(choices, prepared.value, controller, tape)
      .catch((error: unknown) => {
        this.ports.logger.log('error', 'answer-lost', { interaction_id: head.id, error: errorText(error) });
        tape.push({ kind: 'refused', refusal: toStoreRefusal(error) });
      })
      .finally(() => {
        tape.end();
        this.#running.delete(work);
      });
    this.#running.set(work, controller);
    return ok({ head, events: tape });
  }

  /** Refuses new work; what is running may end. */
  stopIntake(): void {
    this.#isClosing = true;
  }

  async close(): Promise<void> {
    this.stopIntake();
    for (const controller of this.#running.values()) controller.abort();
    await Promise.all(this.#running.keys());
  }

  /** Commits one running row per choice. */
  #admit(
    session: Session,
    call: ChatCall,
    prepared: PreparedCall,
    head: AnswerHead,
    isAbandoned: () => boolean,
  ): Choice[] {
    const { database, interactions, sessions, tokenizer } = this.ports;
    return database.transaction(() => {
      sessions.touch(session.id);
      const first = interactions.countOfSession(session.id);
      const parentId = sessions.findParent(session.id, call.messages);
      return Array.from({ length: call.n }, (_, index): Choice => {
        const id = choiceId(head.id, index);
        const { task } = prepared;
        interactions.insertRunning({
          id,
          sessionId: session.id,
          ordinal: first + index,
          parentId,
          messages: call.messages,
          promptTokenIds: task.promptTokenIds,
          temperature: call.temperature,
          distorted: call.distorted,
          createdAt: head.createdAt,
        });
        return {
          id,
          sessionId: session.id,
          index,
          messages: call.messages,
          // One seed for all would sample the same completion n times.
          task: task.seed === null ? task : { ...task, seed: task.seed + index },
          collector: new AnswerCollector(tokenizer, {
            stopStrings: call.stopStrings,
            parser: prepared.createParser(),
            endsAfterToolCall: !call.parallelToolCalls,
          }),
          isAbandoned,
        };
      });
    });
  }

  async #run(
    choices: readonly Choice[],
    prepared: PreparedCall,
    controller: AbortController,
    tape: AnswerTape<RunEvent>,
  ): Promise<void> {
    const ends: ChoiceEnd[] = [];
    let failure: Refusal | null = null;
    const runs = choices.map(async (choice) => {
      const push = (event: AnswerEvent): void => {
        if (failure === null) tape.push(event);
      };
      const outcome = await runChoice(this.ports, choice, controller.signal, push);
      if (outcome.kind === 'choice-end') {
        push(outcome);
        ends.push(outcome);
      } else if (failure === null) {
        // One completion that cannot be had is no answer to a request for n: the others need not go on.
        failure = outcome.refusal;
        controller.abort();
        tape.push(outcome);
      }
    });
    await Promise.all(runs);
    if (failure !== null) return;
    const sum = (of: (end: ChoiceEnd) => number): number => ends.reduce((total, end) => total + of(end), 0);
    tape.push({
      kind: 'end',
      promptTokens: prepared.task.promptTokenIds.length,
      cachedTokens: prepared.cachedTokens,
      completionTokens: sum((end) => end.completionTokens),
      reasoningTokens: sum((end) => end.reasoningTokens),
    });
  }
}

function choiceId(id: InteractionId, index: number): InteractionId {
  return index === 0 ? id : interactionId(`${id}-${index}`);
}
