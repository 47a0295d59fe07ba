import type { ReactNode } from 'react';
import type { TrajectoryRow } from '../../../shared/wire/trajectory-files';
import type { TrajectoryRecord } from '../../../shared/wire/trajectory-record';
import { formatCount, formatQuantity, formatSigned } from '../../components/number-format';
import { fieldWord, useLocale, useText } from '../../i18n/text';
import classes from './detail.module.css';
import { outputTokens, versionLabel } from './row-fields';

/** What is known of the row besides its text; what the dump does not say is left out, not shown as zero. */
export function DetailFacts({ row, record }: { readonly row: TrajectoryRow; readonly record: TrajectoryRecord }) {
  const messages = useText();
  const text = messages.trajectories;
  const { facts } = text;
  const locale = useLocale();
  const pairs: readonly (readonly [string, ReactNode])[] = [
    [facts.versions, versionLabel(record) ?? text.versionUnknown],
    [facts.reward, formatSigned(record.reward)],
    [facts.originalReward, record.original_reward === undefined ? undefined : formatSigned(record.original_reward)],
    [facts.tokens, text.tokensOf(formatCount(outputTokens(record)), formatCount(record.prompt_len))],
    [facts.turn, record.turn === undefined ? undefined : String(record.turn)],
    [facts.finish, fieldWord('finish', record.finish_reason, messages)],
    [facts.source, fieldWord('source', record.source, messages)],
    [facts.rater, record.rater_id ?? undefined],
    [facts.temperature, record.temperature === undefined ? undefined : formatQuantity(record.temperature)],
    [facts.created, record.created_at === undefined ? undefined : moment(record.created_at, locale)],
    [facts.group, record.group_id],
    [facts.session, record.session_id],
    [facts.interaction, record.interaction_id],
    [facts.where, `${row.file}:${row.line}`],
  ];
  return (
    <dl className={classes.facts}>
      {pairs.map(([name, value]) =>
        value === undefined ? null : (
          <div key={name} className={classes.fact}>
            <dt>{name}</dt>
            <dd title={typeof value === 'string' ? value : undefined}>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

function moment(iso: string, locale: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' }).format(at);
}
