/** Everything that is said about one answer before it is stored. */
export interface AnswerEvidence {
  readonly promptTokenIds: readonly number[];
  readonly tokenIds: readonly number[];
  readonly logprobs: readonly number[];
  readonly versions: readonly number[];
  readonly vocabularySize: number;
  /** newest weight version that anybody has made; a token cannot come from a later one */
  readonly newestVersion: number;
  /** raw text that the client's answer was made of */
  readonly sentText: string;
  /** the sampled ids decoded again, end tokens left out */
  readonly decodedText: string;
  /** the stop string that ended the answer: it and what follows it in its last token is not sent */
  readonly stopString: string | null;
}

/** Rounding may lift the log-prob of a certain token a little above 0. */
const LOGPROB_TOLERANCE = 1e-3;
/** float32's lowest number is what engines send for minus infinity: a token of probability zero was never sampled. */
const LEAST_LOGPROB = -1e38;

/**
 * Why an answer must not be trained on, as a sentence; null when its evidence is sound.
 *
 * Sound means: the tokens trained on would be exactly the tokens sampled, each with the log-prob and the weight version
 * it was sampled with, and what the client was shown is what these tokens say.
 */
export function findEvidenceProblem(evidence: AnswerEvidence): string | null {
  const { tokenIds, logprobs, versions, newestVersion } = evidence;
  if (tokenIds.length === 0) return 'Nothing was sampled.';
  if (logprobs.length !== tokenIds.length || versions.length !== tokenIds.length)
    return `${tokenIds.length} token ids, ${logprobs.length} log-probs and ${versions.length} versions do not belong together.`;
  const badId = [...evidence.promptTokenIds, ...tokenIds].find((id) => !isTokenId(id, evidence.vocabularySize));
  if (badId !== undefined) return `Token ${badId} is not in the vocabulary of ${evidence.vocabularySize} tokens.`;
  const badLogprob = logprobs.findIndex((value) => !isLogprob(value));
  if (badLogprob >= 0)
    return `Token ${badLogprob} has the log-prob ${logprobs[badLogprob]}, which no sampled token can have.`;
  const badVersion = versions.findIndex((value) => !Number.isInteger(value) || value < 0 || value > newestVersion);
  if (badVersion >= 0)
    return `Token ${badVersion} is said to come from weight version ${versions[badVersion]}; known are 0 to ${newestVersion}.`;
  return findTextProblem(evidence);
}

function findTextProblem({ sentText, decodedText, stopString }: AnswerEvidence): string | null {
  const expected = stopString === null ? decodedText : decodedText.slice(0, decodedText.indexOf(stopString));
  if (stopString !== null && !decodedText.includes(stopString))
    return `The answer is said to end with the stop string ${JSON.stringify(stopString)}, which its tokens do not spell.`;
  return sentText === expected ? null : 'The sampled tokens do not spell the text that was sent.';
}

function isTokenId(id: number, vocabularySize: number): boolean {
  return Number.isInteger(id) && id >= 0 && id < vocabularySize;
}

function isLogprob(value: number): boolean {
  return Number.isFinite(value) && value <= LOGPROB_TOLERANCE && value >= LEAST_LOGPROB;
}
