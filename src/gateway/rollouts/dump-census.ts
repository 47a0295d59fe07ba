import type { Result } from '../../shared/lib/result';
import type { CommonFields } from '../../shared/wire/trajectory-files';
import type { TrajectoryRecord } from '../../shared/wire/trajectory-record';
import type { TrajectoryFacts } from '../groups/group-statistics';

/** What reading every line of a dump once has told of it; only this stays in memory. */
export class DumpCensus {
  readonly #facts: TrajectoryFacts[] = [];
  readonly #badRows: number[] = [];
  #common: CommonFields | null = null;
  #seen = 0;
  /** every line that was known at some time was counted; what came since is soon */
  wasWhole = false;

  /** lines counted so far, from the first row on */
  get seen(): number {
    return this.#seen;
  }

  get facts(): readonly TrajectoryFacts[] {
    return this.#facts;
  }

  /** row numbers of the lines that are no records, ascending */
  get badRows(): readonly number[] {
    return this.#badRows;
  }

  /** What all good lines have in common; empty without any. */
  get common(): CommonFields {
    return this.#common ?? {};
  }

  /** The line that follows those seen, with the name of its file. */
  add(parsed: Result<TrajectoryRecord, string>, file: string): void {
    if (parsed.ok) {
      this.#facts.push(factsOf(parsed.value, file));
      this.#common = shared(this.#common, parsed.value);
    } else this.#badRows.push(this.#seen);
    this.#seen += 1;
  }
}

function factsOf(record: TrajectoryRecord, file: string): TrajectoryFacts {
  const isUnknown = record.version_rle === undefined && record.head_version < 0;
  return {
    // AReaL writes one file per task, so there the file is the group.
    groupId: record.group_id ?? file,
    reward: record.reward,
    headVersion: isUnknown ? -1 : record.head_version,
    tailVersion: record.tail_version,
    consumedAtVersion: versionOfFolder(file),
  };
}

/** What is left of the common fields with one more record; a field that differed once is gone for good. */
function shared(common: CommonFields | null, record: TrajectoryRecord): CommonFields {
  const own: Required<CommonFields> = {
    task_id: record.task_id,
    sample_idx: record.sample_idx,
    turn: record.turn ?? null,
    finish_reason: record.finish_reason ?? null,
  };
  if (common === null) return own;
  return Object.fromEntries(
    Object.entries(common).filter(([name, value]) => own[name as keyof CommonFields] === value), // made of own's fields
  );
}

/** AReaL's `{rollout|eval-rollout}/{version}/{task}.jsonl`: the version at which the row was handed over. */
export function versionOfFolder(file: string): number | null {
  const match = /(?:^|\/)(?:eval-)?rollout\/(\d+)\/[^/]+$/.exec(file);
  return match === null ? null : Number(match[1]);
}
