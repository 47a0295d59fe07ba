import type { InteractionId, RaterId } from './ids';

/** A number set by a rater or a script for one interaction; at most one current value, history kept. */
export interface Reward {
  readonly interactionId: InteractionId;
  /** finite, unitless; recommended range [−1, 1] */
  readonly value: number;
  readonly raterId: RaterId | null;
  readonly note: string | null;
  readonly ratedAt: number;
}

/**
 * A rating's life, one word: waiting → in-batch → trained, or dropped with its reason.
 * `waiting` covers an open session and an ended one whose batch is not full yet. An answer that nobody rated can be in a
 * batch too: earlier turns get credit from later ratings, and under the policy `zero` silence counts as 0.
 */
export type RatingState = 'unrated' | 'waiting' | 'in-batch' | 'trained' | 'dropped';
