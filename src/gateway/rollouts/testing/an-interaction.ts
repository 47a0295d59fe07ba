import { interactionId, sessionId } from '../../../shared/domain/ids';
import type { Interaction } from '../../../shared/domain/interaction';

/** A finished interaction; log-probs −0.5 and version 0 unless given. */
export function anInteraction(over: {
  readonly id?: string;
  readonly session?: string;
  readonly ordinal?: number;
  readonly parent?: string;
  readonly prompt?: readonly number[];
  readonly output?: readonly number[];
  readonly logprobs?: readonly number[];
  readonly versions?: readonly number[];
  readonly finishReason?: Interaction['finishReason'];
}): Interaction {
  const output = over.output ?? [10, 11];
  return {
    id: interactionId(over.id ?? 'i0'),
    sessionId: sessionId(over.session ?? 't-0'),
    ordinal: over.ordinal ?? 0,
    parentId: over.parent === undefined ? null : interactionId(over.parent),
    state: 'finished',
    messages: [{ role: 'user', content: 'hello' }],
    outputMessage: { role: 'assistant', content: 'hi' },
    promptTokenIds: over.prompt ?? [1, 2],
    outputTokenIds: output,
    outputLogprobs: over.logprobs ?? output.map(() => -0.5),
    outputVersions: over.versions ?? output.map(() => 0),
    finishReason: over.finishReason ?? 'stop',
    temperature: 1,
    distorted: false,
    createdAt: 1_700_000_000_000,
    finishedAt: 1_700_000_001_000,
    error: null,
    choice: 0,
    untrainable: null,
    isUndelivered: false,
    replacedBy: null,
  };
}
