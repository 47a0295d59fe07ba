import type { GroupStatistics } from '../../shared/wire/statistics';
import { groupStatistics } from '../groups/group-statistics';
import type { DumpSource } from '../rollouts/dump-source';
import type { TrajectoryFactsStore } from '../store/trajectory-facts';

export interface ReadStatisticsPorts {
  readonly facts: TrajectoryFactsStore;
}

/** Statistics of the live run: every rated, finished answer whose session has ended, from the database. */
export function readLiveStatistics({ facts }: ReadStatisticsPorts): GroupStatistics {
  return groupStatistics(facts.list());
}

/** Statistics of an opened dump; the first call reads it whole. */
export async function readDumpStatistics(source: DumpSource): Promise<GroupStatistics> {
  return groupStatistics(await source.facts());
}
