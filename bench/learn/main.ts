import { evaluate, rateUntil, type Scores } from './learning';
import { type LearnOptions, readOptions } from './options';
import { PlauditClient } from './plaudit-client';
import { startServer } from './plaudit-server';
import { expectedSeconds, roughly, secondsLeft } from './time-left';

// the launcher passes the repository's root first
const [root = '', ...args] = process.argv.slice(2);
const options = readOptions(args, root);
process.exitCode = (await main(options)) ? 0 : 1;

async function main(given: LearnOptions): Promise<boolean> {
  console.log(
    `${given.versions} versions of ${given.batchSize} ratings: ${roughly(expectedSeconds(given))} on two idle cores, longer on a ` +
      'busy machine. Every line says how much is left; Ctrl-C stops.',
  );
  if (given.url !== null) return demonstrate(given, new PlauditClient(given.url, given.adminKey!));
  const server = await startServer(given);
  let isStopping = false;
  // An interrupted demo leaves neither its server nor its folder behind; its open calls fail with the server.
  const stop = (): void => {
    if (!isStopping) console.log('stopping …');
    isStopping = true;
    void server.close();
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, stop);
  try {
    return await demonstrate(given, new PlauditClient(server.url, server.adminKey));
  } catch (error) {
    if (isStopping) return false;
    throw error;
  } finally {
    await server.close();
  }
}

async function demonstrate(given: LearnOptions, client: PlauditClient): Promise<boolean> {
  const startedAt = Date.now();
  const status = await client.untilServing();
  console.log(`${status.model.name}: ${status.model.parameters} parameters, ${status.batch.size} ratings per version`);
  console.log('measuring the model as it is …');
  const measuredFrom = Date.now();
  const before = await evaluate(client, given.evaluationRounds);
  const evaluationSeconds = (Date.now() - measuredFrom) / 1000;
  show('before', before);
  console.log(`version, mean reward of its ${status.batch.size} ratings, time it took, time left`);
  const firstVersion = status.served_version ?? 0;
  const seconds: number[] = [];
  let ratings = 0;
  for await (const point of rateUntil(client, given)) {
    ratings += point.ratings;
    seconds.push(point.seconds);
    const bar = '#'.repeat(Math.round((point.meanReward + 1) * 20));
    const left = roughly(secondsLeft(seconds, firstVersion + given.versions - point.version, evaluationSeconds));
    console.log(
      `v${String(point.version).padEnd(3)} ${point.meanReward.toFixed(3).padStart(6)} ${point.seconds.toFixed(1).padStart(5)} s ` +
        `${bar.padEnd(40)} ${left} left`,
    );
  }
  console.log('measuring the model as it has become …');
  const after = await evaluate(client, given.evaluationRounds);
  show('after', after);
  await showTraining(client);
  const rise = after.reward - before.reward;
  const allSeconds = (Date.now() - startedAt) / 1000;
  console.log(
    `reward ${before.reward.toFixed(3)} → ${after.reward.toFixed(3)} (${rise >= 0 ? '+' : ''}${rise.toFixed(3)} ± ${Math.hypot(before.error, after.error).toFixed(3)}, one standard error)`,
  );
  console.log(`${ratings} ratings, ${allSeconds.toFixed(1)} s in all`);
  if (rise < given.minimumRise) console.log(`the rise is below ${given.minimumRise}, the least that was asked for`);
  return rise >= given.minimumRise;
}

async function showTraining(client: PlauditClient): Promise<void> {
  const { batches } = await client.trainingMetrics();
  const highest = (name: string): string => {
    const values = batches.map(({ values: each }) => each[name]).filter((value) => typeof value === 'number');
    return values.length === 0 ? 'not reported' : Math.max(...values).toPrecision(3);
  };
  console.log(`largest KL to the seed model ${highest('kl/ref')}`);
  console.log(
    `largest KL of a step ${highest('kl/approx_kl')} (k3, mean over the tokens); farthest that a step moved one token ` +
      `${highest('logratio/step_max')} nats, 99 % of a step's tokens less than ${highest('logratio/step_p99')}`,
  );
  console.log(
    `engine and trainer, same weights: log-probabilities of a token at most ${highest('logratio/fresh_max')} nats apart`,
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
