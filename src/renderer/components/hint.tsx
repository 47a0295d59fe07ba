import { Tooltip, type TooltipProps } from '@mantine/core';
import { useEffect, useState } from 'react';

interface Props {
  readonly label: string;
  readonly position?: TooltipProps['position'];
  readonly children: TooltipProps['children'];
}

const DELAY_MS = 400;

/**
 * The tooltip of a control: shown after the pointer rested on it, gone as soon as the control is used.
 *
 * A press, any key (which may lead to another screen) and the window losing the focus hide it until the pointer comes
 * anew; left to the pointer alone it would lie over what the press has just opened.
 */
export function Hint({ label, position, children }: Props) {
  const [phase, setPhase] = useState<'away' | 'waiting' | 'shown'>('away');
  const hide = (): void => setPhase('away');
  useEffect(() => {
    if (phase === 'away') return;
    const leave = (): void => setPhase('away');
    const timer = phase === 'waiting' ? window.setTimeout(() => setPhase('shown'), DELAY_MS) : undefined;
    window.addEventListener('keydown', leave, true);
    window.addEventListener('blur', leave);
    return () => {
      window.clearTimeout(timer);
      window.removeEventListener('keydown', leave, true);
      window.removeEventListener('blur', leave);
    };
  }, [phase]);
  return (
    <Tooltip
      label={label}
      position={position}
      opened={phase === 'shown'}
      events={{ hover: false, focus: false, touch: false }}
      onPointerEnter={({ pointerType }) => pointerType === 'mouse' && setPhase('waiting')}
      onPointerDown={hide}
      onMouseLeave={hide}
    >
      {children}
    </Tooltip>
  );
}
