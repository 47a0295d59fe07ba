import type { AnswerHead, ChoiceEnd } from '../../shared/domain/answer';
import type { ChatCall } from '../../shared/domain/chat-call';
import type { Interaction } from '../../shared/domain/interaction';
import { encodeVersionRuns } from '../../shared/domain/version-runs';
import type { AnswerFormat } from '../answers/answer-format';
import type { StoredRequest } from '../store/interactions';
import type { ChatTokenizer } from '../tokenizer/chat-tokenizer';
import { AnswerCollector } from './answer-collector';
import type { RunEvent } from './answer-events';
import { toAnswerMessage } from './answer-message';
import type { PreparedCall } from './prepare-call';

/** Whether a stored answer can be given again: all of it is there, and it was not cut short by a client that left. */
export function canReplay({ choices }: StoredRequest, call: ChatCall): boolean {
  return (
    choices.length === call.n &&
    choices.every(({ state, finishReason }) => state === 'finished' && finishReason !== 'abort')
  );
}

/** Head of an answer that was given before. */
export function storedHead(
  choices: readonly Interaction[],
  { model, cachedTokens }: Pick<AnswerHead, 'model' | 'cachedTokens'>,
): AnswerHead | null {
  const first = choices[0];
  if (first === undefined) return null;
  const { id, sessionId, createdAt, promptTokenIds } = first;
  return { id, sessionId, createdAt, model, promptTokens: promptTokenIds.length, cachedTokens };
}

/** What a stored answer is made again from, beside its tokens. */
export interface ReplaySource {
  readonly head: AnswerHead;
  readonly call: ChatCall;
  readonly prepared: PreparedCall;
}

/**
 * The events of a stored answer, made again from the tokens that were sampled then: same ids, same text, same tool calls.
 *
 * Only alternatives to the sampled tokens are not stored, and so not told again.
 */
export function replayEvents(
  ports: { readonly tokenizer: ChatTokenizer; readonly format: AnswerFormat },
  request: StoredRequest,
  { head, call, prepared }: ReplaySource,
): RunEvent[] {
  const events: RunEvent[] = [];
  let completionTokens = 0;
  let reasoningTokens = 0;
  for (const interaction of request.choices) {
    const { delta, end } = replayChoice(ports, interaction, { call, prepared });
    events.push(delta, end);
    completionTokens += end.completionTokens;
    reasoningTokens += end.reasoningTokens;
  }
  const { promptTokens, cachedTokens } = head;
  events.push({ kind: 'end', promptTokens, cachedTokens, completionTokens, reasoningTokens });
  return events;
}

function replayChoice(
  { tokenizer, format }: { readonly tokenizer: ChatTokenizer; readonly format: AnswerFormat },
  interaction: Interaction,
  { call, prepared }: Pick<ReplaySource, 'call' | 'prepared'>,
): { readonly delta: RunEvent; readonly end: ChoiceEnd } {
  const toolCallIds = toAnswerMessage(interaction.outputMessage ?? { role: 'assistant' }).toolCalls.map(({ id }) => id);
  const collector = new AnswerCollector(tokenizer, {
    stopStrings: call.stopStrings,
    parser: prepared.createParser(() => toolCallIds.shift() ?? `call_${interaction.id}`),
    markers: format.markers,
    endsAfterToolCall: !call.parallelToolCalls,
    topLogprobs: call.topLogprobs,
  });
  const { outputTokenIds: tokenIds, outputLogprobs: logprobs, outputVersions: versions } = interaction;
  const deltas = [...collector.add({ tokenIds, logprobs, versions }), ...collector.finish()];
  const versionRuns = encodeVersionRuns(versions);
  const choice = interaction.choice;
  return {
    delta: { kind: 'delta', choice, deltas, logprobs: collector.takeLogprobs(), versionRuns },
    end: {
      kind: 'choice-end',
      choice,
      interactionId: interaction.id,
      message: collector.message(),
      finishReason: interaction.finishReason ?? 'stop',
      stopString: collector.stopString,
      completionTokens: tokenIds.length,
      reasoningTokens: collector.reasoningTokens,
      versionRuns,
    },
  };
}
