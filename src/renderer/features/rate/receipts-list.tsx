import { Button } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useRef } from 'react';
import { rewardToStars } from '../../../shared/domain/rating-scale';
import type { Receipt, Receipts } from '../../../shared/wire/rl';
import { useReasonWords } from '../../i18n/reason-words';
import { useLocale, useText } from '../../i18n/text';
import { formatReward, formatWhen } from './format';
import { StateMark, stateWord } from './rating-mark';
import { useRatingStore } from './rating-store';
import classes from './receipts.module.css';
import { receiptsListId } from './receipts-focus';
import { useRateServices } from './services';

const rowHeight = 28;

/** Keys that scroll the list while it has the focus; on the screen some of them move between answers. */
const scrollKeys: readonly string[] = ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' '];
function keepScrollKeys(event: KeyboardEvent): void {
  if (scrollKeys.includes(event.key)) event.stopPropagation();
}

/** Every rating's life, newest first. */
export function ReceiptsList({ receipts }: { readonly receipts: Receipts | undefined }) {
  const text = useText().rate;
  const scroller = useRef<HTMLDivElement>(null);
  const ratings = receipts?.ratings ?? [];
  const virtualizer = useVirtualizer({
    count: ratings.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => ratings[index]?.interaction_id ?? index,
    overscan: 8,
  });
  if (ratings.length === 0) {
    return (
      <p id={receiptsListId} className={classes.empty} tabIndex={-1}>
        {text.receiptsEmpty}
      </p>
    );
  }
  const { when, answer, score, rater, state } = text.receiptColumns;
  return (
    <section className={classes.list} aria-label={text.receipts} data-testid="receipts-list">
      <div className={classes.header} aria-hidden="true">
        {[when, answer, score, rater, state].map((name) => (
          <span key={name}>{name}</span>
        ))}
        <span className={classes.shown}>{shownWords(receipts, text.receiptsShown)}</span>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: its keys scroll it, nothing else */}
      <div
        ref={scroller}
        id={receiptsListId}
        className={classes.scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll container without focus cannot be read by keyboard
        tabIndex={0}
        onKeyDown={keepScrollKeys}
      >
        <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
          {virtualizer.getVirtualItems().map(({ index, key, start }) => {
            const receipt = ratings[index];
            return receipt === undefined ? null : <ReceiptRow key={key} receipt={receipt} top={start} />;
          })}
        </div>
      </div>
    </section>
  );
}

function shownWords(receipts: Receipts | undefined, words: (shown: number, total: number) => string): string {
  if (receipts === undefined) return '';
  const { waiting, in_batch, trained, dropped } = receipts.counts;
  const total = [...in_batch, ...trained, ...dropped].reduce((sum, { count }) => sum + count, waiting);
  return receipts.ratings.length < total ? words(receipts.ratings.length, total) : '';
}

function ReceiptRow({ receipt, top }: { readonly receipt: Receipt; readonly top: number }) {
  const text = useText().rate;
  const locale = useLocale();
  const reasonWords = useReasonWords();
  const { rater } = useRateServices();
  const pending = useRatingStore((state) => state.pending[receipt.interaction_id]);
  const stars = rewardToStars(receipt.reward);
  return (
    <div
      className={classes.row}
      style={{ transform: `translateY(${top}px)` }}
      data-testid="receipt-row"
      data-interaction-id={receipt.interaction_id}
      data-state={receipt.state}
    >
      <span className="pl-number">{formatWhen(receipt.rated_at, locale, new Date())}</span>
      {receipt.excerpt === '' ? (
        <span className={classes.faint}>{text.receiptNoText}</span>
      ) : (
        <span className={classes.excerpt} title={receipt.excerpt}>
          {receipt.excerpt}
        </span>
      )}
      <span className="pl-number">
        {stars ?? ''} ({formatReward(receipt.reward, locale)})
      </span>
      <span className={classes.excerpt}>{receipt.rater_id ?? '–'}</span>
      <span className={classes.state}>
        <StateMark
          isOneLine
          state={receipt.state}
          word={stateWord(
            {
              ratingState: receipt.state,
              batchId: receipt.batch_id,
              trainedVersion: receipt.version,
              reason: receipt.reason,
            },
            text,
            reasonWords,
          )}
        />
      </span>
      <span>
        {receipt.revocable ? (
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            data-testid="receipt-withdraw"
            disabled={pending?.state === 'saving'}
            onClick={() => void rater.rate({ interactionId: receipt.interaction_id, stars: null, note: '', end: null })}
          >
            {text.withdraw}
          </Button>
        ) : null}
      </span>
    </div>
  );
}
