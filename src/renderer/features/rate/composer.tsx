import { Button, Textarea } from '@mantine/core';
import type { KeyboardEvent } from 'react';
import { SendIcon, StopIcon } from '../../components/icons/icons';
import { useText } from '../../i18n/text';
import { ContextHint } from './context-hint';
import { draftKeys, useDraftStore } from './drafts';
import classes from './rate-page.module.css';
import { useRateServices } from './services';
import type { ContextCheck } from './use-context-room';

interface Props {
  readonly taskId: string;
  readonly modelName: string;
  readonly isRunning: boolean;
  /** of what runs something can still be stopped from here */
  readonly canStop: boolean;
  /** false while it is not known yet where a message would go */
  readonly isReady: boolean;
  readonly context: ContextCheck;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
  /** a new conversation that takes what is typed along */
  readonly onNew: () => void;
}

/** Where messages are written. Every key typed here is text; only Enter, Escape and keys with Ctrl mean more. */
export function Composer({ taskId, modelName, context, onSend, onStop, onNew, ...state }: Props) {
  const text = useText().rate;
  const { isRunning, canStop, isReady } = state;
  const { drafts } = useRateServices();
  const key = draftKeys.composer(taskId);
  const loaded = useDraftStore((state) => state.loaded);
  const draft = useDraftStore(({ texts }) => texts[key] ?? '');
  const { room, isCounting } = context;
  // What is counted stays refused only as it was written.
  const tooLong = context.tooLong?.message === draft.trim() ? context.tooLong : null;
  const hasRoom = room?.isFull !== true && tooLong === null;
  const canSend = loaded && isReady && !isRunning && !isCounting && hasRoom && draft.trim() !== '';

  function send(): void {
    if (canSend) onSend(draft.trim());
  }

  function handleKeyDown(event: KeyboardEvent): void {
    const { isComposing, keyCode } = event.nativeEvent;
    // While an input method composes, Enter accepts its word; 229 is how Chromium marks the key that does.
    if (event.key !== 'Enter' || event.shiftKey || event.ctrlKey || event.metaKey || isComposing || keyCode === 229)
      return;
    event.preventDefault();
    send();
  }

  return (
    <div className={classes.composer}>
      {room === null || isRunning ? null : <ContextHint room={room} tooLong={tooLong} onNew={onNew} />}
      <Textarea
        id="composer"
        data-testid="composer"
        aria-label={text.composer}
        placeholder={text.composerHint(modelName)}
        autosize
        minRows={1}
        maxRows={8}
        size="md"
        className={classes.grow}
        maxLength={100_000}
        readOnly={!loaded}
        value={draft}
        onChange={(event) => drafts.write(key, event.currentTarget.value)}
        onKeyDown={handleKeyDown}
      />
      {isRunning ? (
        <Button size="md" data-testid="stop" leftSection={<StopIcon size={14} />} disabled={!canStop} onClick={onStop}>
          {text.stop}
        </Button>
      ) : (
        <Button
          size="md"
          variant="filled"
          data-testid="send"
          leftSection={<SendIcon size={14} />}
          disabled={!canSend}
          onClick={send}
        >
          {text.send}
        </Button>
      )}
      <div className={classes.composerKeys} data-testid="composer-keys">
        {canStop ? text.composerKeysRunning : isRunning ? text.typingHint : text.composerKeys}
      </div>
    </div>
  );
}
