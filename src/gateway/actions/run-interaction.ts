import { type InteractionId, interactionId } from '../../shared/domain/ids';
import type { ChatMessage, FinishReason } from '../../shared/domain/interaction';
import type { Session } from '../../shared/domain/session';
import type { VersionRun } from '../../shared/domain/version-runs';
import { err, ok, type Result } from '../../shared/lib/result';
import type { Backend, GenerateTask } from '../backends/backend';
import { AsyncQueue } from '../platform/async-queue';
import type { Clock } from '../platform/clock';
import type { EventHub } from '../platform/event-hub';
import { errorText, type Logger } from '../platform/logger';
import { type RandomSource, randomHex } from '../platform/random';
import { type Refusal, refusal } from '../platform/refusal';
import type { ChatCall } from '../protocols/openai-chat/chat-call';
import type { SessionManager } from '../sessions/session-manager';
import type { Database } from '../store/database';
import type { InteractionStore } from '../store/interactions';
import { toStoreRefusal } from '../store/store-refusal';
import type { ChatTokenizer } from '../tokenizer/chat-tokenizer';
import { findUnsupportedPart } from '../tokenizer/template-messages';
import { AnswerCollector } from './answer-collector';

/** What happens to a running interaction, in order: text, then exactly one `end` or `refused`. */
export type InteractionEvent =
  | { readonly kind: 'text-delta'; readonly text: string; readonly versionRuns: readonly VersionRun[] }
  /** sent only after the answer is committed to disk */
  | {
      readonly kind: 'end';
      readonly text: string;
      readonly finishReason: FinishReason;
      readonly promptTokens: number;
      readonly completionTokens: number;
      readonly versionRuns: readonly VersionRun[];
    }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** An admitted request. It runs to its end whether or not anybody reads the events. */
export interface RunningAnswer {
  readonly id: InteractionId;
  readonly createdAt: number;
  readonly events: AsyncIterable<InteractionEvent>;
}

export interface RunInteractionPorts {
  readonly database: Database;
  readonly interactions: InteractionStore;
  readonly sessions: SessionManager;
  readonly tokenizer: ChatTokenizer;
  readonly backend: Backend;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly events: EventHub;
  readonly logger: Logger;
  readonly defaultMaxNewTokens: number;
}

/**
 * Runs one chat completion: render, commit as running, generate, commit as finished, answer.
 *
 * One instance per gateway. `close` aborts what runs and waits until every row is committed.
 */
export class InteractionRunner {
  readonly #running = new Map<Promise<void>, AbortController>();
  #isClosing = false;

  constructor(private readonly ports: RunInteractionPorts) {}

  /** @param signal - the client's: aborting it stops the engine and stores the partial answer */
  start(session: Session, call: ChatCall, signal: AbortSignal): Result<RunningAnswer, Refusal> {
    if (this.#isClosing) return err(refusal('closing', 'The gateway is closing. Try again when it is back.'));
    const prepared = this.#prepare(call);
    if (!prepared.ok) return prepared;
    const { interactions, database, sessions, clock, random } = this.ports;
    const id = interactionId(`chatcmpl-${randomHex(random, 29)}`);
    const createdAt = clock.now();
    database.transaction(() => {
      sessions.touch(session.id);
      interactions.insertRunning({
        id,
        sessionId: session.id,
        ordinal: interactions.countOfSession(session.id),
        parentId: sessions.findParent(session.id, call.messages),
        messages: call.messages,
        promptTokenIds: prepared.value.promptTokenIds,
        temperature: call.temperature,
        distorted: call.distorted,
        createdAt,
      });
    });
    const queue = new AsyncQueue<InteractionEvent>();
    const controller = linkedController(signal);
    const work = this.#run({ id, session, call, task: prepared.value }, controller, queue).finally(() => {
      queue.end();
      this.#running.delete(work);
    });
    this.#running.set(work, controller);
    return ok({ id, createdAt, events: queue });
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

  #prepare(call: ChatCall): Result<GenerateTask, Refusal> {
    const { tokenizer, backend, defaultMaxNewTokens } = this.ports;
    const part = findUnsupportedPart(call.messages);
    if (part !== null)
      return err(refusal('unsupported-parameter', `Content of type ${part} is not supported: send text.`, 'messages'));
    const contextLength = backend.status().contextLength ?? tokenizer.contextLength;
    const rendered = tokenizer.renderPrompt(call.messages, call.tools, contextLength);
    if (!rendered.ok)
      return err(
        rendered.error.kind === 'prompt-too-long'
          ? contextRefusal(contextLength, `at least ${rendered.error.leastTokens}`)
          : refusal('bad-request', `The model's chat template refused: ${rendered.error.message}.`, 'messages'),
      );
    const promptTokenIds = rendered.value;
    const room = contextLength - promptTokenIds.length;
    if (room < 1) return err(contextRefusal(contextLength, String(promptTokenIds.length)));
    return ok({
      promptTokenIds,
      maxNewTokens: Math.min(call.maxNewTokens ?? defaultMaxNewTokens, room),
      temperature: call.temperature,
      topP: call.topP,
      frequencyPenalty: call.frequencyPenalty,
      presencePenalty: call.presencePenalty,
      stopStrings: call.stopStrings,
      stopTokenIds: tokenizer.stopTokenIds,
      seed: call.seed,
      topK: null,
      topLogprobs: null,
      jsonSchema: null,
    });
  }

  async #run(admitted: Admitted, controller: AbortController, queue: AsyncQueue<InteractionEvent>): Promise<void> {
    const collector = new AnswerCollector(this.ports.tokenizer, admitted.call.stopStrings);
    try {
      const outcome = await this.#generate(admitted.task, controller, collector, queue);
      // After the engine let go: a late abort must not turn a complete answer into a partial one.
      const rest = collector.finish();
      if (rest !== '') queue.push({ kind: 'text-delta', text: rest, versionRuns: collector.versionRuns() });
      queue.push(this.#commit(admitted, collector, outcome));
    } catch (error) {
      const { logger } = this.ports;
      logger.log('error', 'interaction-lost', { interaction_id: admitted.id, error: errorText(error) });
      queue.push({ kind: 'refused', refusal: this.#fail(admitted, collector, toStoreRefusal(error)) });
    }
  }

  async #generate(
    task: GenerateTask,
    controller: AbortController,
    collector: AnswerCollector,
    queue: AsyncQueue<InteractionEvent>,
  ): Promise<Outcome> {
    for await (const event of this.ports.backend.generate(task, controller.signal)) {
      switch (event.kind) {
        case 'token-delta': {
          const problem = collector.findProblem(event.delta);
          if (problem !== null) return { kind: 'refused', refusal: refusal('bad-evidence', problem) };
          const text = collector.add(event.delta);
          if (text !== '') queue.push({ kind: 'text-delta', text, versionRuns: collector.versionRuns() });
          // Leaving the loop closes the engine's call: the engine did not see a stop string that straddles a cut.
          if (collector.isStopped) return { kind: 'end', finishReason: 'stop' };
          break;
        }
        case 'end':
          return { kind: 'end', finishReason: event.finishReason };
        case 'error':
          return { kind: 'refused', refusal: refusal(event.error.kind, event.error.message) };
      }
    }
    return {
      kind: 'refused',
      refusal: refusal('engine-unavailable', 'The engine ended its answer without saying why.'),
    };
  }

  #commit(admitted: Admitted, collector: AnswerCollector, outcome: Outcome): InteractionEvent {
    if (outcome.kind === 'refused')
      return { kind: 'refused', refusal: this.#fail(admitted, collector, outcome.refusal) };
    const output = collector.output();
    if (output.tokenIds.length === 0) {
      const empty = refusal(
        'engine-unavailable',
        'The answer was stopped before its first token; there is nothing to rate.',
      );
      return { kind: 'refused', refusal: this.#fail(admitted, collector, empty) };
    }
    const { interactions, sessions, clock, events } = this.ports;
    const outputMessage: ChatMessage = { role: 'assistant', content: collector.text };
    const { finishReason } = outcome;
    interactions.finish(admitted.id, { outputMessage, output, finishReason, finishedAt: clock.now() });
    sessions.remember(admitted.session.id, admitted.id, admitted.call.messages, outputMessage);
    events.publish({ kind: 'interaction-end', session_id: admitted.session.id, interaction_id: admitted.id });
    return {
      kind: 'end',
      text: collector.text,
      finishReason,
      promptTokens: admitted.task.promptTokenIds.length,
      completionTokens: output.tokenIds.length,
      versionRuns: collector.versionRuns(),
    };
  }

  /** Marks the row failed, as far as the disk allows. A row that stays `running` becomes interrupted at the next start. */
  #fail(admitted: Admitted, collector: AnswerCollector, reason: Refusal): Refusal {
    const { interactions, clock, events, logger } = this.ports;
    try {
      interactions.fail(admitted.id, { error: reason.message, output: collector.output(), at: clock.now() });
      events.publish({ kind: 'interaction-end', session_id: admitted.session.id, interaction_id: admitted.id });
    } catch (error) {
      logger.log('error', 'interaction-not-marked-failed', { interaction_id: admitted.id, error: errorText(error) });
    }
    return reason;
  }
}

interface Admitted {
  readonly id: InteractionId;
  readonly session: Session;
  readonly call: ChatCall;
  readonly task: GenerateTask;
}

type Outcome =
  | { readonly kind: 'end'; readonly finishReason: FinishReason }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

function contextRefusal(contextLength: number, promptTokens: string): Refusal {
  return refusal(
    'context-length',
    `This model's maximum context length is ${contextLength} tokens, but the messages take ${promptTokens} tokens and leave no room for an answer. Shorten the messages or start a new conversation.`,
    'messages',
  );
}

function linkedController(signal: AbortSignal): AbortController {
  const controller = new AbortController();
  if (signal.aborted) controller.abort();
  else signal.addEventListener('abort', () => controller.abort(), { once: true });
  return controller;
}
