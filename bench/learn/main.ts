import { evaluate, rateUntil, type Scores } from './learning';
import { type LearnOptions, readOptions } from './options';
import { PlauditClient } from './plaudit-client';
import { startServer } from './plaudit-server';

// the launcher passes the repository's root first
const [root = '', ...args] = process.argv.slice(2);
const options = readOptions(args, root);
process.exitCode = (await main(options)) ? 0 : 1;

async function main(given: LearnOptions): Promise<boolean> {
  if (given.url !== null) return demonstrate(given, new PlauditClient(given.url, given.adminKey!));
  const server = await startServer(given);
  try {
    return await demonstrate(given, new PlauditClient(server.url, server.adminKey));
  } finally {
    await server.close();
  }
}

async function demonstrate(given: LearnOptions, client: PlauditClient): Promise<boolean> {
  const startedAt = Date.now();
  const status = await client.untilServing();
  console.log(`${status.model.name}: ${status.model.parameters} parameters, ${status.batch.size} ratings per version`);
  const before = await evaluate(client, given.evaluationRounds);
  show('before', before);
  let ratings = 0;
  for await (const point of rateUntil(client, given)) {
    ratings += point.ratings;
    const bar = '#'.repeat(Math.round((point.meanReward + 1) * 20));
    console.log(
      `v${String(point.version).padEnd(3)} ${point.meanReward.toFixed(3).padStart(6)} ${point.seconds.toFixed(1).padStart(5)} s ${bar}`,
    );
  }
  const after = await evaluate(client, given.evaluationRounds);
  show('after', after);
  await showTraining(client);
  const rise = after.reward - before.reward;
  const seconds = (Date.now() - startedAt) / 1000;
  console.log(
    `reward ${before.reward.toFixed(3)} → ${after.reward.toFixed(3)} (${rise >= 0 ? '+' : ''}${rise.toFixed(3)})`,
  );
  console.log(`${ratings} ratings, ${seconds.toFixed(1)} s in all`);
  if (rise < given.minimumRise) console.log(`the rise is below ${given.minimumRise}: the model did not learn`);
  return rise >= given.minimumRise;
}

async function showTraining(client: PlauditClient): Promise<void> {
  const { batches } = await client.trainingMetrics();
  const highest = (name: string): string => {
    const values = batches.map(({ values: each }) => each[name]).filter((value) => typeof value === 'number');
    return values.length === 0 ? 'not reported' : Math.max(...values).toFixed(4);
  };
  console.log(
    `largest KL to the seed model ${highest('kl/ref')}, largest approximate KL of a step ${highest('kl/approx_kl')}`,
  );
  const { versions } = await client.versions();
  const rewards = versions.map(({ version, reward_mean: reward }) => `v${version} ${reward?.toFixed(2) ?? '–'}`);
  console.log(`mean reward of the ratings behind each version, as the gateway counts them: ${rewards.join(' ')}`);
}

function show(when: string, { samples, ...scores }: Scores): void {
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  console.log(
    `${when}: reward ${scores.reward.toFixed(3)}, correct ${percent(scores.correct)}, polite ${percent(scores.polite)}, ` +
      `rude ${percent(scores.rude)} of ${scores.answers} answers`,
  );
  for (const line of samples) console.log(`    ${line}`);
}
