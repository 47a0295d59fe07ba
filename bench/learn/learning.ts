import { sampleQuestion } from '../../src/embedded/world/conversation';
import { EVALUATION_SET, isHeldOut } from '../../src/embedded/world/evaluation-set';
import { judge, type Verdict } from '../../src/embedded/world/judge';
import type { Question } from '../../src/embedded/world/question';
import { type Random, seededRandom } from '../../src/embedded/world/random';
import type { PlauditClient } from './plaudit-client';

export interface Scores {
  readonly answers: number;
  readonly reward: number;
  /** standard error of the reward */
  readonly error: number;
  readonly correct: number;
  readonly polite: number;
  readonly rude: number;
  readonly samples: readonly string[];
}

export interface CurvePoint {
  readonly version: number;
  readonly ratings: number;
  readonly meanReward: number;
  readonly seconds: number;
}

/** how a batch ends that makes no version */
const WITHOUT_VERSION: ReadonlySet<string> = new Set(['no_signal', 'skipped', 'too_stale']);
const CONCURRENCY = 16;
const STEP_DEADLINE_MS = 300_000;

/** Asks the fixed prompts without rating: nothing of this is ever trained. */
export async function evaluate(client: PlauditClient, rounds: number): Promise<Scores> {
  const questions = Array.from({ length: rounds }, () => EVALUATION_SET).flat();
  const rated = await inParallel(questions, async (question, i) => {
    const { text } = await client.ask(`evaluation-${i % EVALUATION_SET.length}`, question.text);
    return { text, verdict: judge(question, text), question };
  });
  const share = (holds: (verdict: Verdict) => boolean) =>
    rated.filter(({ verdict }) => holds(verdict)).length / rated.length;
  const rewards = rated.map(({ verdict }) => verdict.reward);
  const reward = mean(rewards);
  return {
    answers: rated.length,
    reward,
    error: Math.sqrt(mean(rewards.map((each) => (each - reward) ** 2)) / Math.max(1, rated.length)),
    correct: share(({ correct }) => correct),
    polite: share(({ polite }) => polite),
    rude: share(({ rude }) => rude),
    samples: rated.filter((_, i) => i % 8 === 0 && i < 64).map(({ question, text }) => `${question.text} → ${text}`),
  };
}

/**
 * Asks and rates one batch at a time and waits for its version to be served, so that the next answers come from the new
 * weights. Yields a point per version.
 */
export async function* rateUntil(
  client: PlauditClient,
  options: { readonly versions: number; readonly batchSize: number; readonly seed: number },
): AsyncGenerator<CurvePoint> {
  const random = seededRandom(options.seed, 4);
  const first = (await client.status()).served_version ?? 0;
  for (let trained = 0; trained < options.versions; ) {
    const from = Date.now();
    const before = await client.status();
    const missing = Math.max(1, before.batch.size - before.batch.filled - before.batch.open_rated);
    const rewards = await inParallel(
      Array.from({ length: missing }, () => freshQuestion(random)),
      async (question, i) => {
        let reward = 0;
        await client.ask(`rating-${before.batch.next_id}-${i}`, question.text, (text) => {
          reward = judge(question, text).reward;
          return reward;
        });
        return reward;
      },
    );
    const after = await client.until(
      async (status) =>
        status.served_version !== before.served_version || (await endedWithoutVersion(client, before.batch.next_id)),
      STEP_DEADLINE_MS,
      `version ${(before.served_version ?? 0) + 1}`,
    );
    trained = (after.served_version ?? first) - first;
    yield {
      version: after.served_version ?? first,
      ratings: rewards.length,
      meanReward: mean(rewards),
      seconds: (Date.now() - from) / 1000,
    };
  }
}

/** A batch whose rewards were all equal, say, has nothing to teach and makes no version. */
async function endedWithoutVersion(client: PlauditClient, batchId: number): Promise<boolean> {
  const { batches } = await client.trainingMetrics();
  return batches.some((batch) => batch.batch_id >= batchId && WITHOUT_VERSION.has(batch.status));
}

/** A question of the world that no evaluation uses. */
function freshQuestion(random: Random): Question {
  for (;;) {
    const question = sampleQuestion(random);
    if (!isHeldOut(question.text)) return question;
  }
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

async function inParallel<T, R>(inputs: readonly T[], work: (input: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: Math.min(CONCURRENCY, inputs.length) }, async () => {
      while (next < inputs.length) {
        const index = next++;
        results[index] = await work(inputs[index]!, index);
      }
    }),
  );
  return results;
}
