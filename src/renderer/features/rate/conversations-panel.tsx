import { Button, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { SessionView } from '../../../shared/wire/rl';
import { DotIcon, PlusIcon } from '../../components/icons/icons';
import { useClients } from '../../data/clients';
import { useLocale, useText } from '../../i18n/text';
import { formatWhen } from './format';
import { humanSessionsQuery, sessionQuery } from './queries';
import classes from './rate-page.module.css';
import { openConversation, useRateStore } from './rate-store';

/** Older ones are found through the receipts and the dump. */
const mostShown = 50;

interface ConversationSummary {
  readonly taskId: string;
  readonly firstSessionId: string;
  readonly startedAt: string;
  readonly answers: number;
  readonly rated: number;
  readonly isOpen: boolean;
}

/** Conversations people had, newest first. */
export function ConversationsPanel({ onNew }: { readonly onNew: () => void }) {
  const text = useText().rate;
  const locale = useLocale();
  const current = useRateStore(({ taskId }) => taskId);
  const sessions = useQuery(humanSessionsQuery(useClients())).data ?? [];
  return (
    <nav className={classes.conversations} aria-label={text.conversations}>
      <Button size="xs" leftSection={<PlusIcon size={12} />} data-testid="new-conversation" onClick={onNew}>
        {text.newConversation}
      </Button>
      <div className={classes.conversationList}>
        {summarize(sessions)
          .slice(0, mostShown)
          .map(({ taskId, firstSessionId, startedAt, answers, rated, isOpen }) => (
            <UnstyledButton
              key={taskId}
              className={classes.conversation}
              data-testid="conversation"
              aria-current={taskId === current || undefined}
              onClick={() => openConversation(taskId)}
            >
              <span className={classes.conversationWhen}>
                <ConversationTitle sessionId={firstSessionId} />
                {isOpen ? (
                  <span className={classes.open} title={text.conversationOpen}>
                    <DotIcon size={12} />
                  </span>
                ) : null}
              </span>
              <span className={classes.conversationCounts}>
                {formatWhen(startedAt, locale, new Date())} · {text.conversationCounts(answers, rated)}
              </span>
            </UnstyledButton>
          ))}
      </div>
    </nav>
  );
}

/** The first words said; read once per conversation, from the record. */
function ConversationTitle({ sessionId }: { readonly sessionId: string }) {
  const first = useQuery(sessionQuery(useClients(), sessionId)).data?.interactions[0];
  const said = first?.messages.find(({ role }) => role === 'user')?.content;
  return <span className={classes.conversationTitle}>{typeof said === 'string' ? said : '…'}</span>;
}

/** Sessions folded into the conversations they belong to, newest activity first. */
export function summarize(sessions: readonly SessionView[]): ConversationSummary[] {
  const byTask = new Map<string, ConversationSummary>();
  for (const session of sessions) {
    const known = byTask.get(session.task_id);
    byTask.set(session.task_id, {
      taskId: session.task_id,
      firstSessionId: session.session_id,
      // The list is newest first, so the last one seen is the first one made.
      startedAt: session.created_at,
      answers: (known?.answers ?? 0) + session.interaction_count,
      rated: (known?.rated ?? 0) + session.rated_count,
      isOpen: (known?.isOpen ?? false) || session.state === 'open',
    });
  }
  return [...byTask.values()];
}
