import type { TrainerCommand, TrainerMessage } from '../../shared/wire/trainer';

/**
 * The nerves of the trainer contract `rlt/1`: JSON lines of a trainer process, whoever supervises it.
 *
 * Messages are hints, files are the truth: everything must still come right when every message is lost.
 */
export interface TrainerLink {
  /** false = no trainer runs right now; the command is dropped and `ready` will come again */
  send(command: TrainerCommand): boolean;
  subscribe(listener: (event: TrainerLinkEvent) => void): () => void;
}

export type TrainerLinkEvent =
  | { readonly kind: 'message'; readonly message: TrainerMessage }
  /** the process is gone; `code` is one of TRAINER_EXIT, or null when `signal` ended it */
  | { readonly kind: 'gone'; readonly code: number | null; readonly signal?: string | null };
