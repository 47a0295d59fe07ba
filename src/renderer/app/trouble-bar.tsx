import { Button, CloseButton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { WarnIcon } from '../components/icons/icons';
import { problemOf } from '../data/gateway-problem';
import { useProblemWords } from '../i18n/reason-words';
import { useText } from '../i18n/text';
import classes from './shell.module.css';
import { useShellStore } from './shell-store';
import type { TroubleLine } from './trouble';
import { useRemedies } from './use-remedies';

const fewLines = 2;

/** Each trouble as a coloured line: cause, advice, and the button that does it. Beyond a few, the rest opens on demand. */
export function TroubleBar({ trouble }: { readonly trouble: readonly TroubleLine[] }) {
  const text = useText().shell.trouble;
  const hidden = useShellStore(({ hiddenTrouble }) => hiddenTrouble);
  const [isOpen, setOpen] = useState(false);
  const shown = trouble.filter(({ kind }) => !hidden.includes(kind));
  const others = shown.length - fewLines;
  return (
    <>
      {shown.slice(0, isOpen ? undefined : fewLines).map((line) => (
        <TroubleRow key={line.kind} line={line} />
      ))}
      {others > 0 ? (
        <button
          type="button"
          className={classes.troubleMore}
          data-testid="trouble-more"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? text.fewer : text.more(others)}
        </button>
      ) : null}
    </>
  );
}

function TroubleRow({ line }: { readonly line: TroubleLine }) {
  const text = useText().shell.trouble;
  const words = useProblemWords();
  const { kind, message, advice, remedy } = line;
  const { word, run } = useRemedies()[remedy];
  const act = useMutation({ mutationFn: run });
  return (
    <div className={classes.trouble} role="alert" data-testid="trouble" data-kind={kind}>
      <span className={classes.troubleIcon}>
        <WarnIcon />
      </span>
      <span className={classes.troubleText}>
        <strong>{message}</strong> {advice}
        {act.isError ? (
          <span className={classes.troubleFailed} data-testid="trouble-action-failed">
            {' '}
            {text.actionFailed(words(problemOf(act.error)))}
          </span>
        ) : null}
      </span>
      <Button size="compact-xs" data-testid="trouble-action" disabled={act.isPending} onClick={() => act.mutate()}>
        {word}
      </Button>
      <CloseButton
        size="xs"
        aria-label={text.hide}
        onClick={() =>
          useShellStore.setState(({ hiddenTrouble }) => ({ hiddenTrouble: [...new Set([...hiddenTrouble, kind])] }))
        }
      />
    </div>
  );
}
