import type { Random } from './random';

/** What makes an answer correct. */
export type Expectation =
  /** numbers in the answer, an echoed sum aside, are this one and no other */
  | { readonly kind: 'number'; readonly value: number }
  /** numbers in the answer are these in this order, perhaps more than once */
  | { readonly kind: 'sequence'; readonly values: readonly number[] }
  /** one of these words is there and none of those */
  | { readonly kind: 'words'; readonly anyOf: readonly string[]; readonly noneOf: readonly string[] };

/** An answer without its manners: no capital, no full stop. */
export interface Content {
  /** as few words as possible: "blue" */
  readonly short: string;
  /** the same as a sentence: "the sky is blue" */
  readonly sentence: string;
}

export type Language = 'en' | 'zh';

/** One thing a person may ask, with what is right and what would be wrong. */
export interface Question {
  /** topic; questions of one topic can be asked elliptically after each other */
  readonly topic: string;
  readonly language: Language;
  /** the whole message as typed */
  readonly text: string;
  /** a shorter message that is clear only after a question of the same topic: "And snow?" */
  readonly followUp: string | null;
  readonly right: Content;
  /** null where nothing would be plainly wrong */
  readonly wrong: Content | null;
  readonly expects: Expectation;
  /** the name the person gives in this message */
  readonly introduces?: string;
}

/** Makes one question; the generator of a topic. */
export type Topic = (random: Random) => Question;

export function words(anyOf: readonly string[], noneOf: readonly string[] = []): Expectation {
  return { kind: 'words', anyOf, noneOf };
}

export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
