import type { AnswerEvent, ChoiceEnd } from '../../shared/domain/answer';
import type { InteractionId, SessionId } from '../../shared/domain/ids';
import type { ChatMessage, FinishReason } from '../../shared/domain/interaction';
import type { Backend, GenerateTask } from '../backends/backend';
import { findEvidenceProblem } from '../interactions/provenance';
import type { CancelSignal } from '../platform/cancellation';
import type { Clock } from '../platform/clock';
import type { EventHub } from '../platform/event-hub';
import { errorText, type Logger } from '../platform/logger';
import { type Refusal, refusal } from '../platform/refusal';
import type { SessionManager } from '../sessions/session-manager';
import type { Database } from '../store/database';
import type { GroupCommit } from '../store/group-commit';
import type { InteractionStore } from '../store/interactions';
import { toStoreRefusal } from '../store/store-refusal';
import type { ChatTokenizer } from '../tokenizer/chat-tokenizer';
import type { AnswerCollector } from './answer-collector';
import { toChatMessage } from './answer-message';

export interface RunChoicePorts {
  readonly database: Database;
  readonly commits: GroupCommit;
  readonly interactions: InteractionStore;
  readonly sessions: SessionManager;
  readonly backend: Backend;
  readonly tokenizer: ChatTokenizer;
  /** newest weight version that a trainer has committed */
  readonly newestVersion: () => number;
  readonly clock: Clock;
  readonly events: EventHub;
  readonly logger: Logger;
}

/** One of the completions of a call. */
export interface Choice {
  readonly id: InteractionId;
  readonly sessionId: SessionId;
  readonly index: number;
  /** its row is committed as running, or is refused */
  readonly admitted: Promise<Refusal | null>;
  readonly messages: readonly ChatMessage[];
  readonly task: GenerateTask;
  readonly collector: AnswerCollector;
  /** stores what belongs to the completion beside its row, in the same commit; null = nothing does */
  readonly record: ((end: ChoiceEnd) => void) | null;
  /** true when nobody waits for the answer any more */
  readonly isAbandoned: () => boolean;
}

/** How one completion ended: whole and on disk, or not at all. */
export type ChoiceOutcome = ChoiceEnd | { readonly kind: 'refused'; readonly refusal: Refusal };

/**
 * Samples one completion and commits it: as finished, or as failed with what was sampled. Never throws.
 *
 * @param push - hears every delta, in order
 * @returns how it ended; it is on disk by then
 */
export async function runChoice(
  ports: RunChoicePorts,
  choice: Choice,
  signal: CancelSignal,
  push: (event: AnswerEvent) => void,
): Promise<ChoiceOutcome> {
  try {
    const outcome = await generate(ports, choice, signal, push);
    const refused = await choice.admitted;
    if (refused !== null) return { kind: 'refused', refusal: refused };
    // After the engine let go: a late abort must not turn a complete answer into a partial one.
    pushDeltas(choice, choice.collector.finish(), push);
    pushRest(choice, push);
    const ending = await commit(ports, choice, outcome);
    // The end is told only when it would survive the machine.
    await ports.database.flush();
    return ending;
  } catch (error) {
    ports.logger.log('error', 'interaction-lost', { interaction_id: choice.id, error: errorText(error) });
    return fail(ports, choice, toStoreRefusal(error));
  }
}

type Outcome =
  | { readonly kind: 'end'; readonly finishReason: FinishReason }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

async function generate(
  { backend }: RunChoicePorts,
  choice: Choice,
  signal: CancelSignal,
  push: (event: AnswerEvent) => void,
): Promise<Outcome> {
  const { admitted, collector } = choice;
  let isAdmitted = false;
  for await (const event of backend.generate(choice.task, signal)) {
    switch (event.kind) {
      case 'token-delta': {
        const problem = collector.findProblem(event.delta);
        if (problem !== null) return { kind: 'refused', refusal: refusal('bad-evidence', problem) };
        if (!isAdmitted) {
          const refused = await admitted;
          if (refused !== null) return { kind: 'refused', refusal: refused };
          isAdmitted = true;
        }
        pushDeltas(choice, collector.add(event.delta), push);
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
  return { kind: 'refused', refusal: refusal('engine-unavailable', 'The engine ended its answer without saying why.') };
}

function pushDeltas(
  { index, collector }: Choice,
  deltas: ReturnType<AnswerCollector['add']>,
  push: (event: AnswerEvent) => void,
): void {
  // Log-probs of text that is held back wait for it.
  if (deltas.length === 0) return;
  push({
    kind: 'delta',
    choice: index,
    deltas,
    logprobs: collector.takeLogprobs(),
    versionRuns: collector.versionRuns(),
  });
}

/** Log-probs of tokens that added no text, such as those of a stop string. */
function pushRest({ index, collector }: Choice, push: (event: AnswerEvent) => void): void {
  const logprobs = collector.takeLogprobs();
  if (logprobs.length === 0) return;
  push({ kind: 'delta', choice: index, deltas: [], logprobs, versionRuns: collector.versionRuns() });
}

async function commit(ports: RunChoicePorts, choice: Choice, outcome: Outcome): Promise<ChoiceOutcome> {
  if (outcome.kind === 'refused') return fail(ports, choice, outcome.refusal);
  const { collector } = choice;
  const output = collector.output();
  if (output.tokenIds.length === 0) {
    const message = 'The answer was stopped before its first token; there is nothing to rate.';
    return fail(ports, choice, refusal('engine-unavailable', message));
  }
  const { commits, interactions, sessions, clock, events, logger } = ports;
  const message = collector.message();
  const outputMessage = toChatMessage(message);
  const { finishReason } = outcome;
  const untrainable = findProblem(ports, choice);
  if (untrainable !== null) logger.log('warn', 'evidence-unsound', { interaction_id: choice.id, reason: untrainable });
  const finishedAt = clock.now();
  const end: ChoiceEnd = {
    kind: 'choice-end',
    choice: choice.index,
    interactionId: choice.id,
    message,
    finishReason,
    stopString: collector.stopString,
    completionTokens: output.tokenIds.length,
    reasoningTokens: collector.reasoningTokens,
    versionRuns: collector.versionRuns(),
  };
  const finish = (): void => {
    const isUndelivered = choice.isAbandoned();
    interactions.finish(choice.id, { outputMessage, output, finishReason, finishedAt, untrainable, isUndelivered });
    choice.record?.(end);
  };
  await (choice.record === null ? commits.commitStatement(finish) : commits.commit(finish));
  sessions.remember(choice.sessionId, choice.id, choice.messages, outputMessage);
  events.publish({ kind: 'interaction-end', session_id: choice.sessionId, interaction_id: choice.id });
  return end;
}

function findProblem(
  { tokenizer, backend, newestVersion }: RunChoicePorts,
  { task, collector }: Choice,
): string | null {
  const { tokenIds, logprobs, versions } = collector.output();
  return findEvidenceProblem({
    promptTokenIds: task.promptTokenIds,
    tokenIds,
    logprobs,
    versions,
    vocabularySize: tokenizer.vocabularySize,
    // An engine that was started by somebody else may serve a version that no trainer of ours made.
    newestVersion: Math.max(newestVersion(), backend.status().servedVersion ?? 0),
    sentText: collector.sentText,
    decodedText: collector.decodedText(),
    stopString: collector.stopString,
  });
}

/** Marks the row failed, as far as the disk allows. A row that stays `running` becomes interrupted at the next start. */
function fail({ interactions, clock, events, logger }: RunChoicePorts, choice: Choice, reason: Refusal): ChoiceOutcome {
  try {
    interactions.fail(choice.id, { error: reason.message, output: choice.collector.output(), at: clock.now() });
    events.publish({ kind: 'interaction-end', session_id: choice.sessionId, interaction_id: choice.id });
  } catch (error) {
    logger.log('error', 'interaction-not-marked-failed', { interaction_id: choice.id, error: errorText(error) });
  }
  return { kind: 'refused', refusal: reason };
}
