import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../embedded/world/random';
import { writeTinyTokenizer } from '../test-gateway';
import { runHarness } from './harness';

// Few when a person runs the tests of a folder; `npm test` asks for 200, `npm run durability` for 1,000.
const KILLS = Number(process.env.PLAUDIT_KILLS ?? 15);
const SEED = Number(process.env.PLAUDIT_SEED ?? 1);
const folder = mkdtempSync(join(tmpdir(), 'durability-'));
const program = join('.cache', 'tests', `durability-${process.pid}.cjs`);

beforeAll(async () => {
  mkdirSync(join('.cache', 'tests'), { recursive: true });
  writeTinyTokenizer(join(folder, 'model'));
  await build({
    entryPoints: ['src/gateway/testing/durability/gateway-program.ts'],
    outfile: program,
    bundle: true,
    platform: 'node',
    target: 'node18',
    format: 'cjs',
    external: ['libsql'],
  });
});
afterAll(() => {
  rmSync(program, { force: true });
  rmSync(folder, { recursive: true, force: true });
});

describe(`a gateway killed ${KILLS} times at random moments`, () => {
  it(
    'has every acknowledged session, answer, rating, end and batch exactly once',
    async () => {
      const report = await runHarness({
        program,
        dataDir: join(folder, 'data'),
        modelDir: join(folder, 'model'),
        kills: KILLS,
        clients: 6,
        random: seededRandom(SEED, 7),
        onRound: (round) => {
          if (KILLS > 200 && round % 50 === 0) process.stderr.write(`${round} kills\n`);
        },
      });
      expect(report.wrong).toEqual([]);
      // Otherwise nothing was put to the test.
      expect(report.facts.ratings).toBeGreaterThan(KILLS);
      expect(report.trainedEpisodes).toBeGreaterThan(KILLS / 2);
      process.stderr.write(`${JSON.stringify(report)}\n`);
    },
    KILLS * 6000,
  );
});
