import { z } from 'zod';
import { create } from 'zustand';
import type { GatewayProblem } from '../../data/gateway-problem';

export type Stars = 1 | 2 | 3 | 4 | 5;

/** A rating on its way: chosen by a person, not yet confirmed by the gateway. */
export interface PendingRating {
  readonly interactionId: string;
  /** null: the rating is being withdrawn */
  readonly stars: Stars | null;
  readonly note: string;
  /** sessions to end once this and every other answer of `with` is rated */
  readonly end: EndPlan | null;
  readonly state: 'saving' | 'failed';
  /** null with `failed`: written down before the window closed, never confirmed */
  readonly problem: GatewayProblem | null;
}

export const endPlanSchema = z.object({ sessionIds: z.array(z.string()), interactionIds: z.array(z.string()) });
export type EndPlan = z.infer<typeof endPlanSchema>;

interface RatingStore {
  readonly pending: Readonly<Record<string, PendingRating>>;
  /** confirmed in this window, so that a quick second key need not wait for a read */
  readonly confirmed: Readonly<Record<string, Stars | null>>;
  /** session id → why it could not be ended */
  readonly endProblems: Readonly<Record<string, GatewayProblem>>;
  /** sessions that a key press in this window is ending: no further message may go there, even before a read says so */
  readonly ending: Readonly<Record<string, true>>;
}

export const useRatingStore = create<RatingStore>(() => ({ pending: {}, confirmed: {}, endProblems: {}, ending: {} }));

export const isEnding = (sessionId: string): boolean => useRatingStore.getState().ending[sessionId] === true;

export function markEnding(sessionIds: readonly string[]): void {
  const marked = Object.fromEntries(sessionIds.map((id) => [id, true as const]));
  useRatingStore.setState(({ ending }) => ({ ending: { ...ending, ...marked } }));
}

export function setPending(rating: PendingRating): void {
  useRatingStore.setState(({ pending }) => ({ pending: { ...pending, [rating.interactionId]: rating } }));
}

export function clearPending(interactionId: string): void {
  useRatingStore.setState(({ pending }) => {
    const { [interactionId]: _gone, ...rest } = pending;
    return { pending: rest };
  });
}

const storedRatingSchema = z.object({
  stars: z.union([z.literal(1), z.literal(2), z.literal(3), z.literal(4), z.literal(5)]).nullable(),
  note: z.string(),
  end: endPlanSchema.nullable(),
});

/** The form a rating has in the drafts while it is unconfirmed. */
export const writeRating = ({ stars, note, end }: PendingRating): string => JSON.stringify({ stars, note, end });

/** A stored rating as an unsaved one; null when the text is not one. */
export function readRating(interactionId: string, text: string): PendingRating | null {
  try {
    const { stars, note, end } = storedRatingSchema.parse(JSON.parse(text));
    return { interactionId, stars, note, end, state: 'failed', problem: null };
  } catch {
    return null;
  }
}
