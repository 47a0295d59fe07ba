import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Compares the rollout dump of a closed gateway with the ratings that are in batches.
 *
 * @param batched - interactions of which a client has seen that a batch holds them
 * @returns what is wrong, in sentences: each is in the dump exactly once, on a whole line
 */
export function checkDump(dumpDir: string, batched: Iterable<string>): string[] {
  const wrong: string[] = [];
  const times = new Map<string, number>();
  for (const file of filesBelow(dumpDir)) {
    for (const line of readFileSync(file, 'utf8').split('\n').slice(0, -1)) {
      const id = idOf(line);
      if (id === null) wrong.push(`the dump has a broken line: ${line.slice(0, 80)}`);
      else times.set(id, (times.get(id) ?? 0) + 1);
    }
  }
  for (const [id, count] of times) if (count > 1) wrong.push(`answer ${id} is in the dump ${count} times`);
  for (const id of batched) if (!times.has(id)) wrong.push(`answer ${id} is in a batch and not in the dump`);
  return wrong;
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : path.endsWith('.jsonl') ? [path] : [];
  });
}

function idOf(line: string): string | null {
  try {
    return (JSON.parse(line) as { interaction_id?: string }).interaction_id ?? null; // the dump's own field
  } catch {
    return null;
  }
}
