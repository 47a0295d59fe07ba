import { useState } from 'react';
import { useClients } from '../../data/clients';
import { useStatus } from '../../data/shared-queries';
import type { Place } from './ask';
import { type ContextRoom, mayNotFit, readContextRoom } from './context-room';
import type { Columns } from './rate-store';

/** A message that the gateway counted and that does not fit, with what the whole prompt would take. */
export interface TooLong {
  readonly message: string;
  /** null: so many that the gateway stopped counting */
  readonly tokens: number | null;
}

export interface ContextCheck {
  readonly room: ContextRoom | null;
  readonly tooLong: TooLong | null;
  readonly isCounting: boolean;
  /** Hands the message to `send`, unless it is known not to fit behind the conversation. */
  readonly check: (message: string, send: (message: string) => void) => void;
}

/** Keeps messages from being sent that do not fit: near the end of the context the gateway counts them first. */
export function useContextRoom(place: Place, selected: string | null, columns: Columns): ContextCheck {
  const { gateway } = useClients();
  const model = useStatus().data?.model;
  // Side by side every answer has a session of its own, and its context is empty.
  const room = columns > 1 ? null : readContextRoom(place, selected, model?.context_length ?? null);
  const [isCounting, setCounting] = useState(false);
  const [refused, setRefused] = useState<(TooLong & { readonly taskId: string }) | null>(null);

  async function count(at: ContextRoom, message: string, send: (message: string) => void): Promise<void> {
    setCounting(true);
    const input = [...at.history, { role: 'user', content: message }];
    const counted = await gateway.countTokens(at.sessionKey, model?.name ?? 'default', input);
    setCounting(false);
    const refuse = (tokens: number | null) => setRefused({ taskId: place.taskId, message, tokens });
    // The answer needs a place too. A gateway that cannot count will say itself what it thinks of the message.
    if (counted.ok && counted.value.input_tokens >= at.total) refuse(counted.value.input_tokens);
    else if (!counted.ok && counted.error.kind === 'refused' && counted.error.code === 'context_length_exceeded')
      refuse(null);
    else send(message);
  }

  return {
    room,
    tooLong: room !== null && refused?.taskId === place.taskId ? refused : null,
    isCounting,
    check(message, send) {
      if (room?.isFull || isCounting) return;
      if (room === null || !mayNotFit(room, message)) send(message);
      else void count(room, message, send);
    },
  };
}
