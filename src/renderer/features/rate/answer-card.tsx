import { Button } from '@mantine/core';
import { BusyIcon, ErrorIcon, RetryIcon } from '../../components/icons/icons';
import { useProcesses, useStatus } from '../../data/shared-queries';
import { useProblemWords } from '../../i18n/reason-words';
import { useText } from '../../i18n/text';
import { type Answer, type Block, isRunning, isSilent } from './answer';
import classes from './answer.module.css';
import { AnswerCalls, AnswerThoughts, NoAnswer, UnsoundNotice } from './answer-parts';
import { AnswerText } from './answer-text';
import { selectAnswer, useRateStore } from './rate-store';
import { RatingMark } from './rating-mark';
import { useRatingStore } from './rating-store';
import { engineAway } from './sender';
import { useScoring } from './use-scoring';
import { VersionBadges } from './version-badges';

export interface AnswerCardProps {
  readonly block: Block;
  readonly answer: Answer;
  /** A, B, C … in a side-by-side round */
  readonly name: string | null;
  /** e.g. "answer 2 of 2", or null */
  readonly caption: string | null;
  readonly hideVersions: boolean;
  readonly onAgain: (() => void) | null;
  readonly onRetry: (fresh: boolean) => void;
  /** a new conversation with the message this answers */
  readonly onNew: () => void;
}

/** One answer: who sampled it, what it says, what became of its rating. */
export function AnswerCard(props: AnswerCardProps) {
  const { block, name, caption, hideVersions, onAgain, onRetry, onNew } = props;
  const text = useText().rate;
  const isEngineAway = useEngineAway();
  const answer = isEngineAway ? asHeld(props.answer) : props.answer;
  const isSelected = useRateStore(({ selected }) => selected === answer.key);
  const pending = useRatingStore((state) => state.pending[answer.interactionId ?? '']);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: j, k and A–D select answers from the keyboard
    <article
      className={classes.card}
      data-testid="answer"
      data-answer-key={answer.key}
      data-interaction-id={answer.interactionId ?? undefined}
      data-phase={answer.phase}
      data-selected={isSelected || undefined}
      aria-label={name === null ? text.answer : text.answerName(name)}
      aria-current={isSelected || undefined}
      aria-busy={isRunning(answer)}
      tabIndex={-1}
      onClick={() => selectAnswer(answer.key)}
    >
      <div className={classes.head}>
        {name === null ? null : <span className={classes.name}>{name}</span>}
        <VersionBadges runs={answer.runs} hidden={hideVersions} />
        {caption === null ? null : <span className={classes.caption}>{caption}</span>}
        <span className={classes.spacer} />
        {onAgain === null ? null : (
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            leftSection={<RetryIcon size={12} />}
            data-testid="regenerate"
            onClick={onAgain}
          >
            {text.regenerate}
          </Button>
        )}
      </div>
      <AnswerThoughts answer={answer} />
      {answer.text === '' && (!isRunning(answer) || !isSilent(answer)) ? null : (
        <AnswerText answer={answer} hideVersions={hideVersions} />
      )}
      <AnswerCalls calls={answer.toolCalls} />
      <NoAnswer answer={answer} />
      <AnswerProblem answer={answer} onRetry={onRetry} onNew={onNew} />
      <UnsoundNotice answer={answer} />
      <div className={classes.foot}>
        <PhaseWord answer={answer} />
        <RatingMark answer={answer} pending={pending} />
      </div>
      {pending?.state === 'failed' ? <UnsavedRating block={block} answer={answer} /> : null}
    </article>
  );
}

function PhaseWord({ answer }: { readonly answer: Answer }) {
  const text = useText().rate;
  const context = useStatus().data?.model.context_length ?? null;
  if (isRunning(answer)) {
    const word =
      answer.phase === 'starting'
        ? text.phases.starting
        : answer.phase === 'waiting'
          ? text.phases.waiting
          : answer.phase === 'stopping'
            ? text.phases.stopping
            : text.phases.streaming;
    return (
      <span className={classes.state} data-state="busy">
        <BusyIcon size={12} />
        {word}
      </span>
    );
  }
  if (answer.phase === 'interrupted') return <span className={classes.caption}>{text.phases.interrupted}</span>;
  if (answer.phase !== 'finished') return null;
  const ending =
    answer.finishReason === 'abort'
      ? text.phases.stopped
      : answer.finishReason === 'length'
        ? fillsContext(answer, context)
          ? text.phases.contextEnd
          : text.phases.length
        : null;
  return (
    <span className={classes.caption}>
      {[answer.completionTokens > 0 ? text.tokens(answer.completionTokens) : null, ending].filter(Boolean).join(' · ')}
    </span>
  );
}

/** The context ended the answer, not the limit a person sets. Known once the gateway has counted the prompt. */
const fillsContext = ({ promptTokens, completionTokens }: Answer, context: number | null): boolean =>
  context !== null && promptTokens > 0 && promptTokens + completionTokens >= context;

/** What went wrong, beside the answer it happened to, with what to do. */
function AnswerProblem({ answer, onRetry, onNew }: Pick<AnswerCardProps, 'answer' | 'onRetry' | 'onNew'>) {
  const text = useText().rate;
  const words = useProblemWords();
  const { problem, phase } = answer;
  if (phase === 'waiting') {
    const sentence = waitingSentence(problem, text, words);
    return (
      <p className={classes.notice} role="status" data-testid="answer-waiting">
        {sentence}
      </p>
    );
  }
  if (phase !== 'failed' && phase !== 'interrupted') return null;
  const isFull = problem?.kind === 'refused' && /context/.test(`${problem.code ?? ''} ${problem.message}`);
  const why = problem === null ? '' : words(problem);
  const sentence = isFull ? text.contextFull(why) : isSilent(answer) ? text.refused(why) : text.brokeOff(why);
  return (
    <div className={classes.problem} role="alert" data-testid="answer-problem">
      <ErrorIcon size={14} />
      <span className={classes.grow}>
        {phase === 'interrupted' && problem === null ? text.phases.interrupted : sentence}
      </span>
      {isFull ? (
        <Button size="compact-xs" variant="filled" data-testid="problem-new" onClick={onNew}>
          {text.newConversation}
        </Button>
      ) : (
        <Button size="compact-xs" data-testid="retry" onClick={() => onRetry(false)}>
          {text.retry}
        </Button>
      )}
      <Button size="compact-xs" data-testid="retry-fresh" onClick={() => onRetry(true)}>
        {text.startFresh}
      </Button>
    </div>
  );
}

/** The gateway may hold a message by itself while the engine restarts: nothing has failed and nothing is said yet. */
function asHeld(answer: Answer): Answer {
  if (!isRunning(answer) || !isSilent(answer) || answer.phase === 'stopping') return answer;
  return { ...answer, phase: 'waiting', problem: answer.problem ?? engineAway };
}

function useEngineAway(): boolean {
  const status = useStatus().data;
  const engine = useProcesses().data?.find(({ name }) => name === 'engine');
  if (engine !== undefined && engine.state !== 'ready') return true;
  return status?.engine.state === 'waiting' || status?.engine.state === 'failed';
}

function waitingSentence(
  problem: Answer['problem'],
  text: ReturnType<typeof useText>['rate'],
  words: ReturnType<typeof useProblemWords>,
): string {
  if (problem?.kind !== 'refused') return text.gatewayWaiting;
  return problem.code === 'engine_unavailable' ? text.engineRestarting : text.waitingWhy(words(problem));
}

function UnsavedRating({ block, answer }: { readonly block: Block; readonly answer: Answer }) {
  const text = useText().rate;
  const words = useProblemWords();
  const { pending, sendAgain, discard } = useScoring(block, answer);
  if (pending === undefined) return null;
  return (
    <div className={classes.problem} role="alert" data-testid="rating-problem">
      <ErrorIcon size={14} />
      <span className={classes.grow}>
        {pending.problem === null ? text.unsavedOld : text.unsavedWhy(words(pending.problem))}
      </span>
      <Button size="compact-xs" data-testid="rating-retry" onClick={sendAgain}>
        {text.sendAgain}
      </Button>
      <Button size="compact-xs" variant="subtle" color="gray" data-testid="rating-discard" onClick={discard}>
        {text.discard}
      </Button>
    </div>
  );
}
