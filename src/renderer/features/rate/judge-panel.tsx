import { Button, Textarea } from '@mantine/core';
import { rewardToStars, starsToReward } from '../../../shared/domain/rating-scale';
import { KeyHint } from '../../components/actions/key-hint';
import { UndoIcon } from '../../components/icons/icons';
import { useReasonWords } from '../../i18n/reason-words';
import { useLocale, useText } from '../../i18n/text';
import { type Answer, type Block, isRunning } from './answer';
import { draftKeys, useDraftStore } from './drafts';
import { Estimate } from './estimate';
import { formatReward } from './format';
import classes from './judge.module.css';
import type { Stars } from './rating-store';
import { useRateServices } from './services';
import { SessionBox } from './session-box';
import { useScoring } from './use-scoring';

export const allStars = [1, 2, 3, 4, 5] as const satisfies readonly Stars[];

interface Props {
  readonly block: Block | undefined;
  readonly answer: Answer | undefined;
  readonly title: string;
}

/** Everything about the outlined answer: its score, a note, its session. */
export function JudgePanel({ block, answer, title }: Props) {
  const text = useText().rate;
  const locale = useLocale();
  const reasonWords = useReasonWords();
  const scoring = useScoring(block, answer);
  const current = scoring.pending === undefined ? starsOf(answer) : scoring.pending.stars;
  return (
    <aside className={classes.panel} aria-label={text.judge} data-testid="judge">
      <h2 className={classes.title}>{title}</h2>
      <fieldset className={classes.scores} aria-label={text.judge}>
        {allStars.map((stars) => (
          <button
            key={stars}
            type="button"
            className={classes.score}
            data-testid={`score-${stars}`}
            aria-pressed={current === stars}
            aria-label={text.scoreName(stars, text.scores[stars - 1] ?? '', formatReward(starsToReward(stars), locale))}
            title={text.scoreName(stars, text.scores[stars - 1] ?? '', formatReward(starsToReward(stars), locale))}
            disabled={!scoring.canRate}
            onClick={() => scoring.rate(stars)}
          >
            {stars}
          </button>
        ))}
      </fieldset>
      <div className={classes.ends}>
        <span>{text.scores[0]}</span>
        <span>{text.scores[4]}</span>
      </div>
      <p className={classes.hint} data-testid="judge-hint">
        {hintOf(answer, text, reasonWords)}
      </p>
      {scoring.canRate ? (
        <p className={classes.typing} data-when-typing>
          {text.typingHint}
        </p>
      ) : null}
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        leftSection={<UndoIcon size={12} />}
        rightSection={<KeyHint keyCode="0" />}
        className={classes.withdraw}
        data-testid="withdraw"
        disabled={!scoring.canWithdraw}
        onClick={scoring.withdraw}
      >
        {text.withdraw}
      </Button>
      {answer?.interactionId == null ? null : (
        <NoteField
          interactionId={answer.interactionId}
          canSave={scoring.canRate && current !== null && scoring.pending === undefined}
          readOnly={!scoring.canRate}
          onSave={() => (current === null ? undefined : scoring.rate(current))}
        />
      )}
      <Estimate answer={answer} />
      <SessionBox block={block} answer={answer} />
    </aside>
  );
}

function starsOf(answer: Answer | undefined): Stars | null {
  return answer?.reward == null ? null : rewardToStars(answer.reward);
}

function hintOf(
  answer: Answer | undefined,
  text: ReturnType<typeof useText>['rate'],
  reasonWords: (reason: string) => string,
): string {
  if (answer === undefined) return text.judgeNothing;
  if (isRunning(answer)) return text.judgeRunning;
  if (answer.phase !== 'finished') return text.judgeFailed;
  if (answer.ratingState === 'dropped') return text.droppedHint(reasonWords(answer.reason ?? '?'));
  if (answer.ratingState === 'in-batch' || answer.ratingState === 'trained') return text.fixed;
  return answer.reward === null ? text.unratedNotTrained : '';
}

interface NoteProps {
  readonly interactionId: string;
  readonly canSave: boolean;
  readonly readOnly: boolean;
  readonly onSave: () => void;
}

function NoteField({ interactionId, canSave, readOnly, onSave }: NoteProps) {
  const text = useText().rate;
  const { drafts } = useRateServices();
  const key = draftKeys.note(interactionId);
  const note = useDraftStore(({ texts }) => texts[key] ?? '');
  return (
    <div className={classes.note}>
      <Textarea
        id="note"
        data-testid="note"
        label={text.note}
        placeholder={text.notePlaceholder}
        autosize
        minRows={2}
        maxRows={6}
        maxLength={4000}
        readOnly={readOnly}
        value={note}
        onChange={(event) => drafts.write(key, event.currentTarget.value)}
      />
      {canSave && note !== '' ? (
        <Button size="compact-xs" data-testid="note-save" onClick={onSave}>
          {text.saveNote}
        </Button>
      ) : null}
    </div>
  );
}
