import type { Trajectory } from '../../shared/domain/trajectory';
import { encodeVersionRuns, headAndTail } from '../../shared/domain/version-runs';
import { PythonFloat, type PythonJsonValue, toPythonJson } from './python-json';

/** Text of single tokens, special tokens by name; joined they are the decoded whole. */
export type DescribeTokens = (tokenIds: readonly number[]) => readonly string[];

/**
 * One line of a rollout dump, without line end; null for a row that AReaL does not dump either (empty, or its last
 * token was not sampled).
 *
 * AReaL's fields come first, in its order; ours follow. `completion` is everything after the prompt, context included.
 */
export function trajectoryLine(row: Trajectory, sampleIndex: number, describeTokens: DescribeTokens): string | null {
  const { tokenIds, lossMask, logprobs, versions } = row.tokens;
  if (tokenIds.length === 0 || lossMask[lossMask.length - 1] !== 1) return null;
  const promptLength = lossMask.indexOf(1);
  const texts = describeTokens(tokenIds);
  const runs = encodeVersionRuns(versions.filter((_, t) => lossMask[t] === 1));
  const { head, tail } = headAndTail(runs);
  const segments = segmentsOf(lossMask, texts);
  const generated = segments.filter((segment) => segment.role === 'gen').length;
  return toPythonJson({
    task_id: row.taskId,
    sample_idx: sampleIndex,
    seqlen: tokenIds.length,
    prompt_len: promptLength,
    head_version: head,
    tail_version: tail,
    version_rle: runs,
    reward: new PythonFloat(row.reward),
    prompt: texts.slice(0, promptLength).join(''),
    completion: texts.slice(promptLength).join(''),
    segments: generated >= 2 ? segments : undefined,
    original_reward: row.originalReward === null ? null : new PythonFloat(row.originalReward),
    session_id: row.sessionId,
    interaction_id: row.interactionId,
    group_id: row.groupId,
    source: row.source,
    rater_id: row.raterId,
    turn: row.turn,
    finish_reason: row.finishReason,
    temperature: new PythonFloat(row.temperature),
    created_at: new Date(row.createdAt).toISOString(),
    input_ids: tokenIds,
    logprobs: logprobs.map((value) => new PythonFloat(value)),
    loss_mask: lossMask,
    output_token_texts: texts.filter((_, t) => lossMask[t] === 1),
  });
}

interface DumpSegment {
  readonly [key: string]: PythonJsonValue;
  readonly role: 'prompt' | 'gen' | 'context';
  readonly len: number;
  readonly text: string;
}

/**
 * Runs of equal loss mask: the first masked run is the prompt, later ones are context between turns.
 *
 * @throws RangeError when there are not as many texts as mask bits: the evidence is torn, and no split of it is right
 */
export function segmentsOf(lossMask: readonly (0 | 1)[], texts: readonly string[]): DumpSegment[] {
  if (texts.length !== lossMask.length)
    throw new RangeError(`${texts.length} tokens do not match ${lossMask.length} mask bits`);
  const segments: DumpSegment[] = [];
  for (let start = 0; start < lossMask.length; ) {
    let end = start;
    while (end < lossMask.length && lossMask[end] === lossMask[start]) end += 1;
    const role = lossMask[start] === 1 ? 'gen' : start === 0 ? 'prompt' : 'context';
    segments.push({ role, len: end - start, text: texts.slice(start, end).join('') });
    start = end;
  }
  return segments;
}
