import type { QueryClient } from '@tanstack/react-query';
import { create } from 'zustand';
import type { Clients } from '../../data/clients';
import { isRunning } from './answer';
import { useLiveStore } from './live-store';
import { draftsQuery } from './queries';

interface DraftStore {
  /** false until the stored drafts are read; nothing may be written before that */
  readonly loaded: boolean;
  readonly texts: Readonly<Record<string, string>>;
}

/** What a person typed but has not sent. The desktop keeps a copy on disk. */
export const useDraftStore = create<DraftStore>(() => ({ loaded: false, texts: {} }));

export const draftKeys = {
  composer: (taskId: string) => `rate/composer/${taskId}`,
  /** sent, but the gateway has not answered yet */
  pending: (taskId: string) => `rate/pending/${taskId}`,
  note: (interactionId: string) => `rate/note/${interactionId}`,
  rating: (interactionId: string) => `rate/rating/${interactionId}`,
  /** the conversation on screen; the browser's own storage is written late and does not survive a kill */
  open: 'rate/open',
} as const;

const ratingPrefix = draftKeys.rating('');
const pendingPrefix = draftKeys.pending('');

export async function loadDrafts(clients: Clients, queryClient: QueryClient, writer: DraftWriter): Promise<void> {
  if (useDraftStore.getState().loaded) return;
  const stored = await queryClient.ensureQueryData(draftsQuery(clients));
  // What was typed while the stored drafts were read wins.
  const restored = restoreUnanswered(stored);
  useDraftStore.setState(({ texts }) => ({ loaded: true, texts: { ...restored, ...texts } }));
  for (const [key, text] of Object.entries(restored)) if (text !== (stored[key] ?? '')) writer.write(key, text, true);
}

/** Messages that were sent but never reached the gateway go back into their composers, unless something newer is there. */
export function restoreUnanswered(stored: Readonly<Record<string, string>>): Record<string, string> {
  const texts: Record<string, string> = { ...stored };
  for (const [key, text] of Object.entries(stored)) {
    if (!key.startsWith(pendingPrefix) || text === '') continue;
    const composer = draftKeys.composer(key.slice(pendingPrefix.length));
    if ((texts[composer] ?? '') === '') texts[composer] = text;
    texts[key] = '';
  }
  return texts;
}

/** Writes are sent one after another and only the newest text of a key is written. */
export function createDraftWriter({ desktop }: Clients, schedule: (run: () => void) => void) {
  const due = new Map<string, string>();
  let scheduled = false;

  function flush(): void {
    scheduled = false;
    const writes = [...due];
    due.clear();
    for (const [key, text] of writes) {
      // A failed write is tried again with the next one; the text is still on the screen.
      desktop.invoke('drafts-write', { key, text }).catch(() => {
        if (!due.has(key)) due.set(key, text);
      });
    }
  }

  return {
    flush,
    write(key: string, text: string, now = false): void {
      useDraftStore.setState(({ texts }) => ({ texts: { ...texts, [key]: text } }));
      due.set(key, text);
      if (now) flush();
      else if (!scheduled) {
        scheduled = true;
        schedule(flush);
      }
    },
  };
}

/** A message nothing was answered to goes back to where it was typed, unless another answer to it may still begin. */
export function giveBack(taskId: string, drafts: DraftWriter): void {
  if (useLiveStore.getState().answers.some((answer) => answer.taskId === taskId && isRunning(answer))) return;
  const { texts } = useDraftStore.getState();
  const unsent = texts[draftKeys.pending(taskId)] ?? '';
  if (unsent === '') return;
  if ((texts[draftKeys.composer(taskId)] ?? '') === '') drafts.write(draftKeys.composer(taskId), unsent, true);
  drafts.write(draftKeys.pending(taskId), '', true);
}

export type DraftWriter = ReturnType<typeof createDraftWriter>;

/** Ratings written down before they were sent and never confirmed: interaction id → what was chosen. */
export function unconfirmedRatings(texts: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(
    Object.entries(texts)
      .filter(([key, text]) => key.startsWith(ratingPrefix) && text !== '')
      .map(([key, text]) => [key.slice(ratingPrefix.length), text]),
  );
}
