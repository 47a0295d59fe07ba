import { useQuery } from '@tanstack/react-query';
import { useClients } from '../../data/clients';
import { useColorScheme } from '../../theme/use-color-scheme';
import { versionColor } from '../../theme/version-ramp';
import type { Answer, VersionedText } from './answer';
import classes from './answer.module.css';
import { answerTokensQuery } from './queries';

interface Props {
  readonly answer: Answer;
  readonly hideVersions: boolean;
}

/** The words of an answer; where more than one version sampled it, each stretch is tinted by its version. */
export function AnswerText({ answer, hideVersions }: Props) {
  const scheme = useColorScheme();
  const pieces = useVersionedText(answer);
  const mixed = !hideVersions && pieces.length > 1;
  return (
    <div className={classes.text} data-testid="answer-text">
      {mixed
        ? pieces.map(({ version, text }, index) => (
            <span
              // Stretches are only ever appended; their place is their identity.
              // biome-ignore lint/suspicious/noArrayIndexKey: see above
              key={index}
              className={classes.tint}
              data-version={version}
              title={`v${version}`}
              style={{ '--tint': versionColor(version, scheme) } as React.CSSProperties}
            >
              {text}
            </span>
          ))
        : answer.text}
      {answer.phase === 'streaming' ? <span className={classes.caret} aria-hidden="true" /> : null}
    </div>
  );
}

function useVersionedText(answer: Answer): readonly VersionedText[] {
  const needsTokens = answer.pieces === null && answer.runs.length > 1 && answer.interactionId !== null;
  const query = useQuery({
    ...answerTokensQuery(useClients(), answer.interactionId ?? ''),
    enabled: needsTokens,
  });
  if (answer.pieces !== null) return answer.pieces;
  const tokens = query.data?.tokens;
  return tokens === undefined ? [] : joinTokens(tokens, answer.text);
}

/** Neighbouring tokens of one version as one stretch; tokens past the visible text (the end token) are left out. */
export function joinTokens(
  tokens: readonly { readonly text: string; readonly version: number }[],
  visible: string,
): readonly VersionedText[] {
  const pieces: { version: number; text: string }[] = [];
  let length = 0;
  for (const token of tokens) {
    const text = token.text.slice(0, Math.max(visible.length - length, 0));
    length += token.text.length;
    if (text === '') continue;
    const last = pieces[pieces.length - 1];
    if (last !== undefined && last.version === token.version) last.text += text;
    else pieces.push({ version: token.version, text });
  }
  // Tokens that do not spell the text (half characters, odd templates) must not change what a person reads.
  return pieces.map(({ text }) => text).join('') === visible ? pieces : [];
}
