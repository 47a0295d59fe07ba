import { z } from 'zod';

const summarySchema = z.object({
  count: z.number().int(),
  mean: z.number().nullable(),
  /** unbiased (n − 1); null for fewer than two */
  std: z.number().nullable(),
  min: z.number().nullable(),
  max: z.number().nullable(),
});

/** Statistics of a set of trajectories; computed in gateway/groups, only drawn by the renderer. */
export const groupStatisticsSchema = z.object({
  trajectories: z.number().int(),
  overall: summarySchema,
  /** by head version of the trajectory, ascending; −1 = unknown */
  by_version: z.array(summarySchema.extend({ version: z.number().int() })),
  groups: z.object({
    total: z.number().int(),
    /** one member only: a group-relative baseline has nothing to compare with */
    singletons: z.number().int(),
    /** two or more members, all rewards equal: no signal under a group baseline */
    zero_variance: z.number().int(),
    /** largest groups first, at most 200 */
    rows: z.array(
      summarySchema.extend({
        group_id: z.string(),
        head_version: z.number().int(),
        /** its members' rewards; absent when the source of the statistics does not list them */
        rewards: z.array(z.number()).optional(),
      }),
    ),
  }),
  /** staleness in versions → trajectories; null when the consuming version is unknown */
  staleness: z.array(z.object({ staleness: z.number().int(), count: z.number().int() })),
  mixed_version: z.number().int(),
  reward_histogram: z.array(z.object({ from: z.number(), to: z.number(), count: z.number().int() })),
});
export type GroupStatistics = z.infer<typeof groupStatisticsSchema>;
