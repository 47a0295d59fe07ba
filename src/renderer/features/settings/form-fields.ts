import { type Settings, settingsSchema } from '../../../shared/ipc/contract';

export type Effect = 'now' | 'next-rating' | 'next-answer' | 'next-batch' | 'restart';
export type TextKey =
  | 'raterId'
  | 'temperature'
  | 'maxNewTokens'
  | 'batchSize'
  | 'learningRate'
  | 'klBeta'
  | 'experiment'
  | 'trial'
  | 'gatewayPort';
export type DraftKey = TextKey | 'baseline' | 'endSessionOnRating';

/** When a changed setting is first used: some go to a running gateway and its trainer, the others are read at the start. */
export const effects: Readonly<Record<DraftKey, Effect>> = {
  raterId: 'next-rating',
  endSessionOnRating: 'next-rating',
  temperature: 'next-answer',
  maxNewTokens: 'next-answer',
  batchSize: 'restart',
  baseline: 'next-batch',
  learningRate: 'next-batch',
  klBeta: 'next-batch',
  experiment: 'restart',
  trial: 'restart',
  gatewayPort: 'restart',
};

/** What a person has typed and not saved; text as typed, so that a half-written number can stand. */
export type Drafts = Readonly<Partial<Record<DraftKey, string | boolean>>>;

export interface ReadDrafts {
  /** drafts that are valid and differ from what is stored */
  readonly change: Partial<Settings>;
  readonly invalid: readonly DraftKey[];
}

const numbers: ReadonlySet<DraftKey> = new Set([
  'temperature',
  'maxNewTokens',
  'batchSize',
  'learningRate',
  'klBeta',
  'gatewayPort',
]);

/** A stored value as it stands in its field. */
export const fieldText = (settings: Settings, key: TextKey): string => String(settings[key]);

/** Sorts drafts into what can be saved and what breaks the settings' own rules. */
export function readDrafts(settings: Settings, drafts: Drafts): ReadDrafts {
  const change: Record<string, unknown> = {};
  const invalid: DraftKey[] = [];
  // Object.entries forgets the key type; drafts has no other keys.
  for (const [key, draft] of Object.entries(drafts) as [DraftKey, string | boolean][]) {
    const parsed = settingsSchema.shape[key].safeParse(numbers.has(key) ? readNumber(draft) : draft);
    if (!parsed.success) invalid.push(key);
    else if (parsed.data !== settings[key]) change[key] = parsed.data;
  }
  return { change, invalid };
}

/** Number() takes an empty field for 0; a person who emptied it did not mean that. */
function readNumber(draft: string | boolean): number {
  const text = String(draft).trim().replace('\u2212', '-');
  return text === '' ? Number.NaN : Number(text);
}

/** Baselines that compare within a group, where single answers have nothing to be compared with. */
export const isGroupBaseline = (baseline: string): boolean => baseline === 'grpo' || baseline === 'rloo';
