/** Which baseline an episode's reward is compared with; the wire's `baseline` has the same four names. */
export type BaselineRule = 'batch_loo' | 'batch' | 'grpo' | 'rloo';

/** An episode as the baseline statistics see it: counted once, however many training rows it has. */
export interface EpisodeReward {
  /** groups are found by id, never by position, so an unfinished group cannot shift its neighbours */
  readonly groupId: string | number;
  /** finite, unitless */
  readonly reward: number;
}

/** Guards a spread of zero; same unit as reward. */
const EPSILON = 1e-6;

/**
 * Advantage of each episode of one batch, in float64.
 *
 * - `batch_loo`: (r − mean of the batch) · S/(S − 1), which is r − mean of the other episodes
 * - `batch`: (r − mean of the batch) / spread of the batch
 * - `grpo`: (r − mean of the group) / spread of the group; an episode alone in its group takes the `batch` rule
 * - `rloo`: (r − mean of the group) · n/(n − 1); an episode alone in its group takes r − mean of the batch
 *
 * @returns same length and order; all 0 when every reward of the batch is equal, and for a batch of one episode
 * @remarks Spread is the unbiased standard deviation (n − 1) plus 1e-6, or 1 when it is undefined or ≤ 1e-6, so that equal
 * rewards give 0 instead of a blow-up. A group of one would be exactly 0 under its own mean: its rating would be lost.
 */
export function advantages(rule: BaselineRule, episodes: readonly EpisodeReward[]): number[] {
  const batch = summarize(episodes.map((episode) => episode.reward));
  if (rule === 'batch_loo') return episodes.map(({ reward }) => leaveOneOut(reward, batch));
  if (rule === 'batch') return episodes.map(({ reward }) => standardize(reward, batch));
  const groups = summarizeGroups(episodes);
  return episodes.map(({ groupId, reward }) => {
    const group = groups.get(groupId);
    if (group === undefined || group.count < 2)
      return rule === 'grpo' ? standardize(reward, batch) : reward - batch.mean;
    return rule === 'grpo' ? standardize(reward, group) : leaveOneOut(reward, group);
  });
}

/** Mean and unbiased standard deviation (n − 1) of finite numbers; std is null below two of them, mean is 0 for none. */
export interface RewardSummary {
  readonly count: number;
  readonly mean: number;
  readonly std: number | null;
}

/** Two passes in float64, exact for equal values: the mean of n equal numbers is that number. */
export function summarize(values: readonly number[]): RewardSummary {
  const count = values.length;
  const first = values[0];
  if (first === undefined) return { count, mean: 0, std: null };
  // measured from the first value, so that equal rewards such as 0.1 leave no rounding dust that would pass for a signal
  const mean = first + values.reduce((sum, value) => sum + (value - first), 0) / count;
  if (count < 2) return { count, mean, std: null };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { count, mean, std: Math.sqrt(squares / (count - 1)) };
}

function summarizeGroups(episodes: readonly EpisodeReward[]): Map<string | number, RewardSummary> {
  const rewards = new Map<string | number, number[]>();
  for (const { groupId, reward } of episodes) {
    const members = rewards.get(groupId);
    if (members === undefined) rewards.set(groupId, [reward]);
    else members.push(reward);
  }
  return new Map([...rewards].map(([groupId, members]) => [groupId, summarize(members)]));
}

function leaveOneOut(reward: number, { count, mean }: RewardSummary): number {
  return count < 2 ? 0 : (reward - mean) * (count / (count - 1));
}

function standardize(reward: number, { mean, std }: RewardSummary): number {
  const spread = std === null || std <= EPSILON ? 1 : std + EPSILON;
  return (reward - mean) / spread;
}
