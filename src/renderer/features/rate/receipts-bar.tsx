import { Button, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Receipts } from '../../../shared/wire/rl';
import { CheckIcon, ClockIcon, DropIcon, ErrorIcon, StackIcon, UnfoldIcon } from '../../components/icons/icons';
import { useClients } from '../../data/clients';
import { receiptsQuery } from '../../data/shared-queries';
import { useText } from '../../i18n/text';
import { useRateStore } from './rate-store';
import { useRatingStore } from './rating-store';
import classes from './receipts.module.css';
import { ReceiptsList } from './receipts-list';
import { useRateServices } from './services';

/** What became of all ratings, in one line that opens into the list of them. */
export function ReceiptsBar() {
  const text = useText().rate;
  const open = useRateStore(({ receiptsOpen }) => receiptsOpen);
  const query = useQuery(receiptsQuery(useClients()));
  const receipts = query.data;
  const toggle = (): void => {
    useRateStore.setState({ receiptsOpen: !open });
  };
  return (
    <footer className={classes.footer}>
      {open ? <ReceiptsList receipts={receipts} /> : null}
      <div className={classes.line}>
        <UnstyledButton className={classes.bar} data-testid="receipts" aria-expanded={open} onClick={toggle}>
          <span className={classes.arrow} data-open={open || undefined}>
            <UnfoldIcon size={12} />
          </span>
          <span className={classes.title}>{text.receipts}</span>
          {query.isError && receipts === undefined ? (
            <span className={classes.count} data-state="failed">
              <ErrorIcon size={12} />
              {text.receiptsUnread(query.error.message)}
            </span>
          ) : (
            <ReceiptCounts counts={receipts?.counts} />
          )}
        </UnstyledButton>
        <UnsentRatings />
      </div>
    </footer>
  );
}

function ReceiptCounts({ counts }: { readonly counts: Receipts['counts'] | undefined }) {
  const text = useText().rate.receiptCounts;
  const none = useText().rate.receiptsNone;
  if (counts === undefined) return null;
  const newest = [...counts.trained].sort((a, b) => b.version - a.version);
  const earlier = newest.slice(1).reduce((sum, { count }) => sum + count, 0);
  const parts: [state: string, icon: ReactNode, words: string][] = [];
  if (counts.waiting > 0) parts.push(['waiting', <ClockIcon key="i" size={12} />, text.waiting(counts.waiting)]);
  for (const { batch_id, count } of counts.in_batch) {
    parts.push(['in-batch', <StackIcon key="i" size={12} />, text.inBatch(count, batch_id)]);
  }
  for (const { version, count } of newest.slice(0, 1)) {
    parts.push(['trained', <CheckIcon key="i" size={12} />, text.trained(count, version)]);
  }
  if (earlier > 0) parts.push(['trained', null, text.trainedEarlier(earlier)]);
  for (const { reason, count } of counts.dropped) {
    parts.push(['dropped', <DropIcon key="i" size={12} />, text.dropped(count, reason)]);
  }
  if (parts.length === 0) return <span className={classes.none}>{none}</span>;
  return parts.map(([state, icon, words]) => (
    <span key={words} className={classes.count} data-state={state} data-testid={`receipts-${state}`}>
      {icon}
      {words}
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
