import type { GenerateTask } from '../../backend';

/** What an engine is asked when nothing of it matters to the test; override what does. */
export function sampleTask(fields: Partial<GenerateTask> = {}): GenerateTask {
  return {
    promptTokenIds: [1, 2, 3],
    maxNewTokens: 4,
    temperature: 1,
    topP: 1,
    topK: null,
    topLogprobs: null,
    jsonSchema: null,
    frequencyPenalty: 0,
    presencePenalty: 0,
    stopStrings: [],
    stopTokenIds: [],
    seed: null,
    ...fields,
  };
}
