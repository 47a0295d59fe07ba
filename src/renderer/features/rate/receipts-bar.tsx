import { Button, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Receipts } from '../../../shared/wire/rl';
import { KeyHint } from '../../components/actions/key-hint';
import { CheckIcon, ClockIcon, DropIcon, ErrorIcon, StackIcon, UnfoldIcon } from '../../components/icons/icons';
import { useClients } from '../../data/clients';
import { problemOf } from '../../data/gateway-problem';
import { receiptsQuery, useStatus } from '../../data/shared-queries';
import { useProblemWords, useReasonWords } from '../../i18n/reason-words';
import { useText } from '../../i18n/text';
import { useRateStore } from './rate-store';
import { useRatingStore } from './rating-store';
import classes from './receipts.module.css';
import { receiptsBarId, receiptsListId, toggleReceipts } from './receipts-focus';
import { ReceiptsList } from './receipts-list';
import { useRateServices } from './services';

/** What became of all ratings, in one line that opens into the list of them. */
export function ReceiptsBar() {
  const text = useText().rate;
  const words = useProblemWords();
  const open = useRateStore(({ receiptsOpen }) => receiptsOpen);
  const query = useQuery(receiptsQuery(useClients()));
  const receipts = query.data;
  return (
    <footer className={classes.footer}>
      {open ? <ReceiptsList receipts={receipts} /> : null}
      <div className={classes.line}>
        <UnstyledButton
          id={receiptsBarId}
          className={classes.bar}
          data-testid="receipts"
          aria-expanded={open}
          aria-controls={open ? receiptsListId : undefined}
          onClick={toggleReceipts}
        >
          <span className={classes.arrow} data-open={open || undefined}>
            <UnfoldIcon size={12} />
          </span>
          <span className={classes.title}>{text.receipts}</span>
          {query.isError && receipts === undefined ? (
            <span className={classes.count} data-state="failed">
              <ErrorIcon size={12} />
              {text.receiptsUnread(words(problemOf(query.error)))}
            </span>
          ) : (
            <ReceiptCounts counts={receipts?.counts} />
          )}
          <span className={classes.key} aria-hidden="true">
            <KeyHint keyCode={open ? 'Escape' : 'l'} />
          </span>
        </UnstyledButton>
        <UnsentRatings />
      </div>
    </footer>
  );
}

function ReceiptCounts({ counts }: { readonly counts: Receipts['counts'] | undefined }) {
  const openRated = useStatus().data?.batch.open_rated ?? 0;
  const text = useText().rate.receiptCounts;
  const none = useText().rate.receiptsNone;
  const reasonWords = useReasonWords();
  if (counts === undefined) return null;
  const newest = [...counts.trained].sort((a, b) => b.version - a.version);
  const earlier = newest.slice(1).reduce((sum, { count }) => sum + count, 0);
  const parts: [state: string, icon: ReactNode, words: string, more?: string][] = [];
  if (counts.waiting > 0) {
    const words = text.waiting(counts.waiting, Math.min(openRated, counts.waiting));
    parts.push(['waiting', <ClockIcon key="i" size={12} />, words]);
  }
  for (const { batch_id, count } of counts.in_batch) {
    parts.push(['in-batch', <StackIcon key="i" size={12} />, text.inBatch(count, batch_id)]);
  }
  for (const { version, count } of newest.slice(0, 1)) {
    parts.push(['trained', <CheckIcon key="i" size={12} />, text.trained(count, version)]);
  }
  if (earlier > 0) parts.push(['trained', null, text.trainedEarlier(earlier)]);
  const lost = counts.dropped.reduce((sum, { count }) => sum + count, 0);
  const [onlyReason, ...otherReasons] = counts.dropped.map(({ reason }) => reasonWords(reason));
  if (onlyReason !== undefined) {
    const words =
      otherReasons.length === 0 ? text.dropped(lost, onlyReason) : text.droppedFor(lost, counts.dropped.length);
    // The whole of each reason is in the list and under the pointer; the line has no room for sentences.
    const all = counts.dropped.map(({ reason, count }) => `${count}: ${reasonWords(reason)}`).join('\n');
    parts.push(['dropped', <DropIcon key="i" size={12} />, words, all]);
  }
  if (parts.length === 0) return <span className={classes.none}>{none}</span>;
  return parts.map(([state, icon, words, more]) => (
    <span key={words} className={classes.count} data-state={state} data-testid={`receipts-${state}`} title={more}>
      {icon}
      <span className={classes.countWords}>{words}</span>
    </span>
  ));
}

/** Ratings the gateway has not confirmed, wherever their answers are: they stay until they are saved or given up. */
function UnsentRatings() {
  const text = useText().rate;
  const { rater } = useRateServices();
  const pending = useRatingStore((state) => state.pending);
  const failed = Object.values(pending).filter(({ state }) => state === 'failed');
  if (failed.length === 0) return null;
  return (
    <span className={classes.count} data-state="failed" data-testid="receipts-unsent" role="alert">
      <ErrorIcon size={12} />
      {text.receiptCounts.unsent(failed.length)}
      <Button size="compact-xs" onClick={() => failed.forEach((rating) => void rater.rate(rating))}>
        {text.sendAgain}
      </Button>
    </span>
  );
}
