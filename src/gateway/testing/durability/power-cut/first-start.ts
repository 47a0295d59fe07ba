import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type GatewayPlace, withGateway } from '../life';
import { type Machine, signal } from '../machine';

/** What a person or a program knows of a gateway that has just started for the first time. */
interface FirstWords {
  readonly adminKey: string;
  readonly run: string;
  readonly session: string;
}

const LONGEST_START_MS = 1500;

/**
 * Starts a gateway on an empty disk, cuts its power, starts it again.
 *
 * @param moment - in [0, 1): the cut comes that far into a start; null = when it has given out its first session
 * @returns what is wrong, in sentences
 */
export async function cutFirstStart(place: GatewayPlace, moment: number | null): Promise<string[]> {
  const known = await withGateway(place, async ({ child, listening, dataDir }) => {
    const words = moment === null ? await listen(await listening, dataDir) : await sleep(moment * LONGEST_START_MS);
    await place.machine.end(child);
    return words;
  });
  return await withGateway(place, async ({ child, listening, dataDir }) => {
    const wrong: string[] = [];
    const client = await listening.catch((error: unknown) => {
      wrong.push(`it does not start again: ${String(error)}`);
      return null;
    });
    if (client !== null) {
      const adminKey = readFileSync(join(dataDir, 'admin-key'), 'utf8').trim();
      const { trouble } = await client.json<{ trouble: { message: string }[] }>('GET', '/rl/status', adminKey);
      wrong.push(...trouble.map(({ message }) => `after the start there is trouble: ${message}`));
      if (known !== null) {
        if (known.adminKey !== adminKey) wrong.push('there is another admin key');
        if (known.run !== readFileSync(join(dataDir, RUN_FILE), 'utf8')) wrong.push('there is another run.json');
        const { status } = await client.call('GET', `/rl/sessions/${known.session}`, adminKey);
        if (status !== 200) wrong.push(`the first session is gone: ${status}`);
      }
    }
    if (child.exitCode === null) await place.machine.end(child);
    return wrong;
  });
}

/**
 * Deletes the admin key of a gateway that has lived before, as its owner does for a new one, and cuts the power when the
 * next start has made it. Here nothing else is new, so that nothing else brings the key to the disk.
 *
 * @returns what is wrong, in sentences
 */
export async function cutNewKey(place: GatewayPlace): Promise<string[]> {
  await withGateway(place, async ({ child, listening }) => {
    await listening;
    await signal(child, 'SIGTERM');
  });
  return await cutFirstStart({ ...place, machine: withoutKeyOnce(place.machine) }, null);
}

function withoutKeyOnce(machine: Machine): Machine {
  let isFirst = true;
  return {
    end: (gateway) => machine.end(gateway),
    async start() {
      const dataDir = await machine.start();
      if (isFirst) rmSync(join(dataDir, 'admin-key'));
      if (isFirst) execFileSync('sync', ['--file-system', dataDir]);
      isFirst = false;
      return dataDir;
    },
  };
}

const RUN_FILE = join('runs', 'plaudit', 'trial0', 'run.json');

async function listen(
  client: { json<T>(method: string, path: string, key: string, body?: unknown): Promise<T> },
  dataDir: string,
): Promise<FirstWords> {
  const adminKey = readFileSync(join(dataDir, 'admin-key'), 'utf8').trim();
  const started = await client.json<{ session_id: string }>('POST', '/rl/start_session', adminKey, {
    task_id: 'first',
  });
  if (!existsSync(join(dataDir, RUN_FILE))) throw new Error('a gateway that listens has no run.json');
  return { adminKey, run: readFileSync(join(dataDir, RUN_FILE), 'utf8'), session: started.session_id };
}

function sleep(ms: number): Promise<null> {
  return new Promise((resolve) => setTimeout(() => resolve(null), ms));
}
