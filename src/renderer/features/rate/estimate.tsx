import { useQuery } from '@tanstack/react-query';
import { useClients } from '../../data/clients';
import { receiptsQuery, useSettings, useStatus } from '../../data/shared-queries';
import { useLocale, useText } from '../../i18n/text';
import type { Answer } from './answer';
import { formatReward } from './format';
import classes from './judge.module.css';
import { provisionalAdvantage } from './provisional-advantage';
import { humanSessionsQuery } from './queries';

/** What the rating of the outlined answer would weigh if the batch closed now; nothing when that is not known exactly. */
export function Estimate({ answer }: { readonly answer: Answer | undefined }) {
  const text = useText().rate;
  const locale = useLocale();
  const clients = useClients();
  const { baseline } = useSettings();
  const status = useStatus().data;
  const receipts = useQuery(receiptsQuery(clients)).data;
  const sessions = useQuery(humanSessionsQuery(clients)).data;
  if (answer?.interactionId == null || status === undefined || receipts === undefined || sessions === undefined)
    return null;
  const single = new Set(
    sessions.filter(({ turn_discount }) => turn_discount === 0).map(({ session_id }) => session_id),
  );
  const found = provisionalAdvantage({
    interactionId: answer.interactionId,
    baseline,
    batchSize: status.batch.size,
    waiting: receipts.ratings.filter(({ state }) => state === 'waiting'),
    waitingCount: receipts.counts.waiting,
    isSingleEpisode: (sessionId) => single.has(sessionId),
  });
  if (found === null) return null;
  return (
    <section className={classes.session} data-testid="estimate">
      <span className={classes.label}>{text.estimate}</span>
      <p className={classes.hint}>{text.estimateValue(formatReward(found.advantage, locale), found.others)}</p>
    </section>
  );
}
