import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GatewayClient, liveUntilDeath } from './clients';
import { checkDump } from './dump-check';
import { Ledger, type SeenFate, type ShownSession } from './ledger';
import { type GatewayPlace, withGateway } from './life';
import { signal } from './machine';

export interface HarnessOptions extends GatewayPlace {
  /** how often a life is ended by force */
  readonly kills: number;
  readonly clients: number;
  /** Most facts a gateway acknowledges in its life: counted, not timed, so that a slow machine tests as much. */
  readonly mostFacts: number;
  /** numbers in [0, 1) */
  readonly random: () => number;
  readonly onRound?: (round: number) => void;
}

export interface HarnessReport {
  readonly kills: number;
  /** acknowledged facts, all of them checked after every kill that followed */
  readonly facts: Ledger['counts'];
  readonly trainedEpisodes: number;
  /** sentences; empty = nothing was lost, changed or doubled */
  readonly wrong: readonly string[];
}

/** After its facts a gateway lives a random moment longer, so that the kill meets every kind of work. */
const LAST_MOMENT_MS = 15;
const LONGEST_LIFE_MS = 10_000;
/** Older sessions looked at again after each kill; at the end all are. */
const OLD_SESSIONS = 10;

/** Starts, drives and kills a gateway again and again, and compares what it shows with what it had acknowledged. */
export async function runHarness(options: HarnessOptions): Promise<HarnessReport> {
  const ledger = new Ledger();
  const wrong: string[] = [];
  let recent: string[] = [];
  for (let round = 0; round < options.kills && wrong.length === 0; round += 1) {
    await withGateway(options, async ({ child, listening }) => {
      const client = await listening;
      wrong.push(...(await check(client, ledger, [...recent, ...pick([...ledger.sessions.keys()], options.random)])));
      const known = ledger.sessions.size;
      let isKilled = false;
      const lives = Array.from({ length: options.clients }, () =>
        liveUntilDeath(client, ledger, options.random, (problem) => wrong.push(problem)).catch((error: unknown) => {
          if (!isKilled) wrong.push(`a call failed while the gateway lived: ${String(error)}`);
        }),
      );
      await untilFacts(ledger, ledger.facts + Math.floor(options.random() * options.mostFacts));
      await sleep(options.random() * LAST_MOMENT_MS);
      isKilled = true;
      await options.machine.end(child);
      await Promise.all(lives);
      recent = [...ledger.sessions.keys()].slice(known);
    });
    options.onRound?.(round + 1);
  }
  const dumpDir = await withGateway(options, async ({ child, listening, dataDir }) => {
    const client = await listening;
    wrong.push(...(await check(client, ledger, [...ledger.sessions.keys()])));
    await signal(child, 'SIGTERM');
    return join(dataDir, 'dumps');
  });
  const trained = readTrained(options.witnessFile);
  wrong.push(...trained.wrong, ...checkDump(dumpDir, ledger.batched()));
  return { kills: options.kills, facts: ledger.counts, trainedEpisodes: trained.episodes, wrong };
}

async function untilFacts(ledger: Ledger, facts: number): Promise<void> {
  const deadline = Date.now() + LONGEST_LIFE_MS;
  while (ledger.facts < facts && Date.now() < deadline) await sleep(1);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function check(client: GatewayClient, ledger: Ledger, sessions: readonly string[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const id of new Set(sessions)) {
    const shown = await client.admin<ShownSession>(`/rl/sessions/${encodeURIComponent(id)}`).catch(() => null);
    wrong.push(...ledger.checkSession(id, shown));
  }
  const { ratings } = await client.admin<{ ratings: (SeenFate & { interaction_id: string })[] }>(
    '/rl/receipts?limit=5000',
  );
  const { trouble } = await client.admin<{ trouble: { message: string }[] }>('/rl/status');
  wrong.push(...trouble.map(({ message }) => `after the start there is trouble: ${message}`));
  // With more ratings than one answer holds, the older ones are out of sight, not gone.
  if (ratings.length < 5000) wrong.push(...ledger.checkFates(ratings));
  return wrong;
}

function pick(ids: readonly string[], random: () => number): string[] {
  return Array.from({ length: Math.min(OLD_SESSIONS, ids.length) }, () => ids[Math.floor(random() * ids.length)] ?? '');
}

/** A batch may be begun twice (the trainer was killed before its commit), but always with the same content. */
function readTrained(path: string): { readonly episodes: number; readonly wrong: string[] } {
  if (!existsSync(path)) return { episodes: 0, wrong: ['nothing was ever trained'] };
  const batches = new Map<number, string>();
  const batchOf = new Map<string, number>();
  const wrong: string[] = [];
  // The last line may be half a line: the kill came in the middle of it.
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const entry = parseLine(line);
    if (entry === null) continue;
    const { batch, sha256, episodes } = entry;
    if ((batches.get(batch) ?? sha256) !== sha256) wrong.push(`batch ${batch} was trained with two contents`);
    batches.set(batch, sha256);
    for (const episode of episodes) {
      const other = batchOf.get(episode) ?? batch;
      if (other !== batch) wrong.push(`episode ${episode} was trained in batch ${other} and in batch ${batch}`);
      batchOf.set(episode, batch);
    }
  }
  return { episodes: batchOf.size, wrong };
}

function parseLine(line: string): { batch: number; sha256: string; episodes: string[] } | null {
  try {
    return JSON.parse(line) as { batch: number; sha256: string; episodes: string[] }; // gateway-program wrote it
  } catch {
    return null;
  }
}
