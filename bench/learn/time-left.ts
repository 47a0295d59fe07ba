import type { LearnOptions } from './options';

/** Measured on two idle cores with the demo model: asking and rating one answer, and its share of the training step. */
const SECONDS_PER_RATING = 0.15;
const SECONDS_PER_ANSWER = 0.03;
const PROMPTS_OF_AN_EVALUATION = 64;
/** start of the engine, and the first step, which compiles */
const SECONDS_OF_START = 8;
const RECENT = 5;

/** A guess before anything was measured; a machine that is slow or busy takes a multiple. */
export function expectedSeconds(options: Pick<LearnOptions, 'versions' | 'batchSize' | 'evaluationRounds'>): number {
  const answers = 2 * options.evaluationRounds * PROMPTS_OF_AN_EVALUATION;
  return SECONDS_OF_START + options.versions * options.batchSize * SECONDS_PER_RATING + answers * SECONDS_PER_ANSWER;
}

/** From the middle of the latest versions, so that the first one, which compiles, does not spoil it. */
export function secondsLeft(seconds: readonly number[], versionsLeft: number, closingSeconds: number): number {
  const recent = seconds.slice(-RECENT).sort((a, b) => a - b);
  const middle = recent[Math.floor((recent.length - 1) / 2)] ?? 0;
  return Math.max(versionsLeft, 0) * middle + closingSeconds;
}

/** `about 40 s`, `about 3 min`: as exact as a guess is. */
export function roughly(seconds: number): string {
  if (seconds < 90) return `about ${Math.max(5, Math.ceil(seconds / 5) * 5)} s`;
  return `about ${Math.round(seconds / 60)} min`;
}
