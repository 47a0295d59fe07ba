import { Button } from '@mantine/core';
import { KeyHint } from '../../components/actions/key-hint';
import { useStatus } from '../../data/shared-queries';
import { useProblemWords } from '../../i18n/reason-words';
import { useText } from '../../i18n/text';
import { type Answer, answersOf, type Block } from './answer';
import classes from './judge.module.css';
import { useRatingStore } from './rating-store';
import { useRateServices } from './services';

/** The session of the outlined answer: open or ended, how much context is left, and the way to end it. */
export function SessionBox({
  block,
  answer,
}: {
  readonly block: Block | undefined;
  readonly answer: Answer | undefined;
}) {
  const text = useText().rate;
  const words = useProblemWords();
  const { rater } = useRateServices();
  const total = useStatus().data?.model.context_length ?? null;
  const problems = useRatingStore((state) => state.endProblems);
  if (block === undefined) return null;
  const sessionIds = sessionsOf(block);
  const answers = answersOf(block);
  const used = answer === undefined ? 0 : answer.promptTokens + answer.completionTokens;
  const problem = sessionIds.map((id) => problems[id]).find((found) => found !== undefined);
  return (
    <section className={classes.session} aria-label={text.session}>
      <div className={classes.row}>
        <span className={classes.label}>{text.session}</span>
        <span data-testid="session-state">{block.ended ? text.sessionEnded : text.sessionOpen}</span>
      </div>
      {block.fate === null ? null : (
        <p className={classes.hint} data-testid="session-fate">
          {text.fates[block.fate]}
        </p>
      )}
      {block.ended || total === null || used === 0 ? null : (
        <p className={classes.hint} data-testid="context-left">
          {text.contextLeft(Math.max(total - used, 0), total)}
        </p>
      )}
      {block.kind === 'side-by-side' && !block.ended ? (
        <p className={classes.hint}>
          {text.rateAllToEnd(answers.filter(({ reward }) => reward !== null).length, answers.length)}
        </p>
      ) : null}
      {problem === undefined ? null : (
        <p className={classes.bad} role="alert">
          {text.endSessionFailed(words(problem))}
        </p>
      )}
      {block.ended || sessionIds.length === 0 ? null : (
        <Button
          fullWidth
          data-testid="end-session"
          rightSection={<KeyHint keyCode="mod+Enter" />}
          onClick={() => sessionIds.forEach((id) => void rater.endSession(id))}
        >
          {text.endSession}
        </Button>
      )}
    </section>
  );
}

/** The sessions a block is made of; none while the first is still being opened. */
export function sessionsOf(block: Block): string[] {
  if (block.kind === 'chat') return block.sessionId === null ? [] : [block.sessionId];
  return [...new Set(answersOf(block).flatMap(({ sessionId }) => sessionId ?? []))];
}
