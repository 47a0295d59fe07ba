import { Button } from '@mantine/core';
import { useText } from '../../i18n/text';
import { type Answer, answersOf, type Block, type SessionFate, type Turn } from './answer';
import { AnswerCard } from './answer-card';
import { askAgain, type Place, retryAnswer } from './ask';
import { columnName } from './format';
import { sessionsPerPage, useRateStore } from './rate-store';
import { useRatingStore } from './rating-store';
import { useRateServices } from './services';
import classes from './transcript.module.css';

/** What is asked here fits side by side; a program may have asked for many more. */
const mostInOneRow = 4;

interface Props {
  readonly place: Place;
  readonly hiddenSessions: number;
  /** a new conversation with the message that did not fit, in place of the answer that failed */
  readonly onNew: (answer: Answer, message: string) => void;
}

/** The conversation, oldest first; a line marks where a session ended and the context became empty. */
export function TranscriptView({ place, hiddenSessions, onNew }: Props) {
  const text = useText().rate;
  return (
    <>
      {hiddenSessions > 0 ? (
        <Button
          size="compact-xs"
          variant="subtle"
          className={classes.earlier}
          onClick={() =>
            useRateStore.setState(({ shownSessions }) => ({ shownSessions: shownSessions + sessionsPerPage }))
          }
        >
          {text.showEarlier(hiddenSessions)}
        </Button>
      ) : null}
      {place.blocks.map((block, index) => (
        <section key={block.key} className={classes.block} data-testid={`block-${block.kind}`}>
          {block.kind === 'chat' ? (
            block.turns.map((turn, at) => (
              <ChatTurn
                key={turn.key}
                place={place}
                block={block}
                turn={turn}
                isNewest={index === place.blocks.length - 1 && at === block.turns.length - 1}
                onNew={onNew}
              />
            ))
          ) : (
            <SideBySideTurn place={place} block={block} onNew={onNew} />
          )}
          {block.ended ? (
            <div className={classes.ended} data-testid="session-ended">
              <EndedWords fate={block.fate} isNewest={index === place.blocks.length - 1} />
            </div>
          ) : null}
        </section>
      ))}
    </>
  );
}

/** Why a session ended out of the ordinary, and, under the newest one, what comes next. */
function EndedWords({ fate, isNewest }: { readonly fate: SessionFate | null; readonly isNewest: boolean }) {
  const text = useText().rate;
  const words = [fate === null ? null : text.fates[fate], isNewest ? text.sessionEndedLine : null];
  const said = words.filter((word) => word !== null).join(' · ');
  return said === '' ? null : <span data-fate={fate ?? undefined}>{said}</span>;
}

interface TurnProps {
  readonly place: Place;
  readonly block: Block;
  readonly turn: Turn;
  readonly isNewest: boolean;
  readonly onNew: Props['onNew'];
}

function ChatTurn({ place, block, turn, isNewest, onNew }: TurnProps) {
  const text = useText().rate;
  const { sender } = useRateServices();
  const { answers } = turn;
  return (
    <>
      <Prompt turn={turn} />
      {answers.map((answer, index) => (
        <AnswerCard
          key={answer.key}
          block={block}
          answer={answer}
          name={null}
          caption={answers.length > 1 ? text.alternative(index + 1, answers.length) : null}
          hideVersions={false}
          onAgain={isNewest && answer.phase === 'finished' ? () => askAgain(place, block, turn, sender) : null}
          onRetry={(fresh) => retryAnswer(place, block, turn, answer, fresh, sender)}
          onNew={() => onNew(answer, turn.prompt)}
        />
      ))}
    </>
  );
}

function SideBySideTurn({ place, block, onNew }: Omit<TurnProps, 'turn' | 'isNewest'>) {
  const { sender } = useRateServices();
  const pending = useRatingStore((state) => state.pending);
  if (block.kind !== 'side-by-side') return null;
  const { turn } = block;
  const isJudged = (answer: Answer): boolean =>
    answer.reward !== null || pending[answer.interactionId ?? '']?.stars != null;
  // Blind until the whole round is judged: a version seen early would colour the other scores.
  const hideVersions = !answersOf(block).every(isJudged);
  return (
    <>
      <Prompt turn={turn} />
      <div
        className={classes.columns}
        data-many={turn.answers.length > mostInOneRow || undefined}
        style={{ '--columns': turn.answers.length } as React.CSSProperties}
      >
        {turn.answers.map((answer, index) => (
          <AnswerCard
            key={answer.key}
            block={block}
            answer={answer}
            name={columnName(index)}
            caption={null}
            hideVersions={hideVersions}
            onAgain={null}
            onRetry={(fresh) => retryAnswer(place, block, turn, answer, fresh, sender)}
            onNew={() => onNew(answer, turn.prompt)}
          />
        ))}
      </div>
    </>
  );
}

function Prompt({ turn }: { readonly turn: Turn }) {
  const text = useText().rate;
  const system = turn.messages.find(({ role }) => role === 'system');
  return (
    <>
      {system === undefined ? null : (
        <details className={classes.system}>
          <summary>{text.system}</summary>
          {system.content}
        </details>
      )}
      <div className={classes.prompt} data-testid="prompt">
        <span className={classes.you}>{text.you}</span>
        <span className={classes.promptText}>{turn.prompt}</span>
      </div>
    </>
  );
}
