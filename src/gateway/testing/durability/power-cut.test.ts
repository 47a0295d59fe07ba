import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../embedded/world/random';
import { writeTinyTokenizer } from '../test-gateway';
import { bundleProgram } from './bundle-program';
import { type HarnessReport, runHarness } from './harness';
import { DiskImage, diskImagesImpossible, type FileSystem } from './power-cut/disk-image';
import { cutFirstStart, cutNewKey } from './power-cut/first-start';
import { PowerCutMachine } from './power-cut/power-cut-machine';

// Only on demand, because it mounts disks: `npm run durability -- --power-cut`.
const CUTS = Number(process.env.PLAUDIT_POWER_CUTS ?? 0);
const SEED = Number(process.env.PLAUDIT_SEED ?? 1);
const FILE_SYSTEMS: FileSystem[] = ['ext4', 'ext2', 'xfs', 'btrfs'];
/** A gateway that does not sync is found out at the first or second cut. */
const CONTROL_CUTS = 12;

const folder = mkdtempSync(join(tmpdir(), 'power-cut-'));
const programs = join('.cache', 'tests', `power-cut-${process.pid}`);
const controlFiles = 'src/gateway/testing/durability/power-cut';
const bundles = {
  whole: join(programs, 'whole.cjs'),
  'unsynced-log': join(programs, 'unsynced-log.cjs'),
  'unsynced-files': join(programs, 'unsynced-files.cjs'),
} as const;
const disks: DiskImage[] = [];

beforeAll(async () => {
  if (CUTS === 0) return;
  writeTinyTokenizer(join(folder, 'model'));
  await bundleProgram(bundles.whole);
  await bundleProgram(bundles['unsynced-log'], {
    'src/gateway/platform/write-ahead-sync.ts': `${controlFiles}/unsynced-log.ts`,
  });
  await bundleProgram(bundles['unsynced-files'], {
    'src/gateway/platform/durable-files.ts': `${controlFiles}/unsynced-files.ts`,
  });
});
afterAll(async () => {
  for (const disk of disks) await disk.remove();
  rmSync(programs, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

async function cutPower(bundle: keyof typeof bundles, fileSystem: FileSystem, cuts: number): Promise<HarnessReport> {
  const name = `${bundle}-${fileSystem}`;
  const place = mkdtempSync(join(folder, `${name}-`));
  const disk = new DiskImage(join(place, 'disk.img'), join(place, 'mounted'), fileSystem);
  disks.push(disk);
  await disk.make();
  // Given back at once: a run that is killed later leaves no more than one behind.
  return await runHarness({
    program: bundles[bundle],
    machine: new PowerCutMachine(disk, place),
    modelDir: join(folder, 'model'),
    witnessFile: join(place, 'trained.jsonl'),
    kills: cuts,
    clients: 6,
    mostFacts: 160,
    random: seededRandom(SEED, 9),
    onRound: (round) => {
      if (round % 10 === 0) process.stderr.write(`${name}: ${round} cuts\n`);
    },
  }).finally(() => disk.remove());
}

/** In turn: the cut after a new key was made, after the first words of all, and anywhere in the first start. */
async function cutFirstStarts(fileSystem: FileSystem, starts: number): Promise<string[]> {
  const random = seededRandom(SEED, 11);
  const place = mkdtempSync(join(folder, `first-${fileSystem}-`));
  const mountPoint = join(place, 'mounted');
  const wrong: string[] = [];
  for (let start = 0; start < starts; start += 1) {
    const disk = new DiskImage(join(place, 'disk.img'), mountPoint, fileSystem);
    disks.push(disk);
    await disk.make();
    const machine = new PowerCutMachine(disk, place);
    const files = {
      program: bundles.whole,
      modelDir: join(folder, 'model'),
      witnessFile: join(place, 'trained.jsonl'),
    };
    const gateway = { ...files, machine, hasOwnKey: true };
    const found =
      start % 3 === 0 ? await cutNewKey(gateway) : await cutFirstStart(gateway, start % 3 === 1 ? null : random());
    wrong.push(...found.map((line) => `start ${start + 1}: ${line}`));
    await disk.remove();
  }
  return wrong;
}

describe.skipIf(CUTS === 0).each(FILE_SYSTEMS)(`a gateway whose power is cut ${CUTS} times on %s`, (fileSystem) => {
  const reason = diskImagesImpossible(fileSystem);
  if (reason !== null) {
    if (CUTS > 0) process.stderr.write(`The power is not cut on ${fileSystem}: ${reason}.\n`);
    it.skip(`is not tried here: ${reason}`, () => undefined);
    return;
  }

  it(
    'has every acknowledged session, answer, rating, end, batch and dumped line exactly once',
    async () => {
      const report = await cutPower('whole', fileSystem, CUTS);
      process.stderr.write(`${JSON.stringify(report)}\n`);
      expect(report.wrong).toEqual([]);
      expect(report.facts.ratings).toBeGreaterThan(CUTS);
      expect(report.trainedEpisodes).toBeGreaterThan(CUTS / 2);
    },
    CUTS * 20_000,
  );

  it('keeps its key, its run and its first session from its first start on', { timeout: CUTS * 30_000 }, async () => {
    expect(await cutFirstStarts(fileSystem, Math.ceil(CUTS / 2))).toEqual([]);
  });

  it('is found out when it answers before the disk has it', { timeout: CONTROL_CUTS * 20_000 }, async () => {
    const { wrong } = await cutPower('unsynced-log', fileSystem, CONTROL_CUTS);
    expect(wrong.filter((line) => /is gone|there 0 times|not -?[\d.]+|was ended and is/.test(line))).not.toEqual([]);
  });

  it('is found out when its files are not synced', { timeout: CONTROL_CUTS * 20_000 }, async () => {
    const { wrong } = await cutPower('unsynced-files', fileSystem, CONTROL_CUTS);
    expect(wrong.filter((line) => /is damaged|not in the dump|is missing|broken line/.test(line))).not.toEqual([]);
  });
});
