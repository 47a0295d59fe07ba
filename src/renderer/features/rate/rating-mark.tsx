import { rewardToStars } from '../../../shared/domain/rating-scale';
import { BusyIcon, CheckIcon, ClockIcon, DropIcon, ErrorIcon, StackIcon } from '../../components/icons/icons';
import { useReasonWords } from '../../i18n/reason-words';
import { useLocale, useText } from '../../i18n/text';
import type { Answer, RatingState } from './answer';
import classes from './answer.module.css';
import { formatReward } from './format';
import type { PendingRating } from './rating-store';

const icons = {
  waiting: <ClockIcon size={12} />,
  'in-batch': <StackIcon size={12} />,
  trained: <CheckIcon size={12} />,
  dropped: <DropIcon size={12} />,
  unrated: null,
} as const satisfies Record<RatingState, React.ReactNode>;

/** One state of a rating's life: colour, icon and word. */
export function StateMark({
  state,
  word,
  isOneLine = false,
}: {
  readonly state: RatingState;
  readonly word: string;
  /** cut to the room there is, with the whole under the pointer */
  readonly isOneLine?: boolean;
}) {
  return (
    <span className={classes.state} data-state={state} data-testid="rating-state" title={isOneLine ? word : undefined}>
      {icons[state]}
      {isOneLine ? <span className={classes.oneLine}>{word}</span> : word}
    </span>
  );
}

/** The score of an answer and how far it has come; a tick only after the gateway said so. */
export function RatingMark({
  answer,
  pending,
}: {
  readonly answer: Answer;
  readonly pending: PendingRating | undefined;
}) {
  const text = useText().rate;
  const locale = useLocale();
  const reasonWords = useReasonWords();
  if (pending?.state === 'saving') {
    return (
      <span className={classes.state} data-state="saving" data-testid="rating-mark">
        <BusyIcon size={12} />
        {pending.stars === null ? null : <b>{pending.stars}</b>}
        {text.saving}
      </span>
    );
  }
  if (pending !== undefined) {
    return (
      <span className={classes.state} data-state="failed" data-testid="rating-mark">
        <ErrorIcon size={12} />
        {pending.stars === null ? null : <b>{pending.stars}</b>}
        {text.unsaved}
      </span>
    );
  }
  if (answer.reward === null) return null;
  const stars = rewardToStars(answer.reward);
  return (
    <span className={classes.mark} data-testid="rating-mark" data-state={answer.ratingState} data-stars={stars ?? ''}>
      <span className={classes.score}>{stars ?? text.offScale(formatReward(answer.reward, locale))}</span>
      <span className={classes.state} data-state="saved">
        <CheckIcon size={12} />
        {text.saved}
      </span>
      <StateMark state={answer.ratingState} word={stateWord(answer, text, reasonWords)} />
    </span>
  );
}

type RateText = ReturnType<typeof useText>['rate'];

export function stateWord(
  rated: {
    readonly ratingState: RatingState;
    readonly batchId: number | null;
    readonly trainedVersion: number | null;
    readonly reason: string | null;
  },
  text: RateText,
  reasonWords: (reason: string) => string,
): string {
  switch (rated.ratingState) {
    case 'unrated':
      return '';
    case 'waiting':
      return text.receiptState.waitingOpen;
    case 'in-batch':
      return text.receiptState.inBatch(rated.batchId ?? 0);
    case 'trained':
      return text.receiptState.trained(rated.trainedVersion ?? 0);
    case 'dropped':
      return text.receiptState.dropped(reasonWords(rated.reason ?? '?'));
  }
}
