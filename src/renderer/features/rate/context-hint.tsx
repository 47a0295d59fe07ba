import { Button } from '@mantine/core';
import { PlusIcon, WarnIcon } from '../../components/icons/icons';
import { useText } from '../../i18n/text';
import type { ContextRoom } from './context-room';
import classes from './rate-page.module.css';
import type { TooLong } from './use-context-room';

interface Props {
  readonly room: ContextRoom;
  readonly tooLong: TooLong | null;
  readonly onNew: () => void;
}

/** How much of the context is left once it is little, with the way out of a full one. */
export function ContextHint({ room, tooLong, onNew }: Props) {
  const text = useText().rate;
  if (!room.isLow && tooLong === null) return null;
  const isStopped = room.isFull || tooLong !== null;
  return (
    <div className={classes.contextHint} role="status" data-testid="context-hint" data-full={isStopped || undefined}>
      <WarnIcon size={14} />
      <span className={classes.grow}>
        {room.isFull
          ? text.contextNone(room.total)
          : tooLong !== null
            ? text.messageTooLong(tooLong.tokens, room.total)
            : text.contextLow(room.left, room.total)}
      </span>
      <Button
        size="compact-xs"
        {...(isStopped ? { variant: 'filled' } : {})}
        leftSection={<PlusIcon size={12} />}
        data-testid="context-new"
        onClick={onNew}
      >
        {text.newConversation}
      </Button>
    </div>
  );
}
