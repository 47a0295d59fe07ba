import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../embedded/world/random';
import { writeTinyTokenizer } from '../test-gateway';
import { bundleProgram } from './bundle-program';
import { runHarness } from './harness';
import { killingMachine } from './machine';

// Few when a person runs the tests of a folder; `npm test` asks for 200, `npm run durability` for 1,000.
const KILLS = Number(process.env.PLAUDIT_KILLS ?? 15);
const SEED = Number(process.env.PLAUDIT_SEED ?? 1);
const folder = mkdtempSync(join(tmpdir(), 'durability-'));
const program = join('.cache', 'tests', `durability-${process.pid}.cjs`);

beforeAll(async () => {
  writeTinyTokenizer(join(folder, 'model'));
  await bundleProgram(program);
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
        machine: killingMachine(join(folder, 'data')),
        modelDir: join(folder, 'model'),
        witnessFile: join(folder, 'trained.jsonl'),
        kills: KILLS,
        clients: 6,
        mostFacts: 40,
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
