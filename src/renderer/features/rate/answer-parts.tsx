import { BusyIcon, ToolIcon, WarnIcon } from '../../components/icons/icons';
import { prettyJson } from '../../components/pretty-json';
import type { ToolCall } from '../../data/chat-stream';
import { useReasonWords } from '../../i18n/reason-words';
import { useText } from '../../i18n/text';
import { type Answer, isRunning } from './answer';
import classes from './answer.module.css';

/** What the model thought before it answered: folded, because the answer is what is judged. */
export function AnswerThoughts({ answer }: { readonly answer: Answer }) {
  const text = useText().rate;
  if (answer.reasoning === null) return null;
  const isAlone = answer.text === '' && answer.toolCalls.length === 0;
  const isThinking = isAlone && isRunning(answer);
  return (
    <details
      // Thoughts that no answer followed are all there is to read and judge.
      key={String(isAlone && !isThinking)}
      open={isAlone && !isThinking}
      className={classes.thoughts}
      data-testid="answer-reasoning"
    >
      <summary>
        {isThinking ? (
          <span className={classes.state} data-state="busy">
            <BusyIcon size={12} />
            {text.thinking}
          </span>
        ) : (
          text.reasoning
        )}
      </summary>
      <div className={classes.thoughtsText}>{answer.reasoning}</div>
    </details>
  );
}

/** The tools an answer calls: name and arguments as the model wrote them. */
export function AnswerCalls({ calls }: { readonly calls: readonly ToolCall[] }) {
  const text = useText().rate;
  if (calls.length === 0) return null;
  return (
    <ul className={classes.calls} aria-label={text.toolCalls}>
      {calls.map(({ id, name, arguments: written }, index) => (
        // A model may repeat an id; a call's place is its identity.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <li key={`${id}-${index}`} className={classes.call} data-testid="answer-call" data-tool={name}>
          <span className={classes.callName}>
            <ToolIcon size={12} />
            {name}
          </span>
          <pre className={classes.callArguments}>{readable(written)}</pre>
        </li>
      ))}
    </ul>
  );
}

/** JSON in lines; what is no JSON (half a call), or has a number that a double cannot hold, stays as it was written. */
function readable(written: string): string {
  if (/\d{16}/.test(written)) return written;
  try {
    return prettyJson(JSON.parse(written));
  } catch {
    return written;
  }
}

/** A finished answer that says nothing, in words: an empty card would look like a fault of the screen. */
export function NoAnswer({ answer }: { readonly answer: Answer }) {
  const text = useText().rate;
  if (answer.phase !== 'finished' || answer.text !== '' || answer.toolCalls.length > 0) return null;
  return (
    <p className={classes.noAnswer} data-testid="answer-none">
      {answer.reasoning === null ? text.emptyAnswer : text.onlyReasoning}
    </p>
  );
}

/** Why a rating of this answer teaches nothing here; a rating that was dropped says so itself. */
export function UnsoundNotice({ answer }: { readonly answer: Answer }) {
  const text = useText().rate;
  const reasonWords = useReasonWords();
  if (answer.ratingState === 'dropped' || (answer.untrainable === null && !answer.isReplaced)) return null;
  return (
    <p className={classes.unsound} role="status" data-testid="answer-unsound">
      <WarnIcon size={14} />
      <span>{answer.untrainable === null ? text.replaced : text.untrainable(reasonWords(answer.untrainable))}</span>
    </p>
  );
}
