import { create } from 'zustand';
import { createJSONStorage, persist } from 'zustand/middleware';

export type Columns = 1 | 2 | 3 | 4;

interface RateStore {
  /** the conversation on screen: the task its sessions share */
  readonly taskId: string;
  /** answers asked for per message; more than one = side by side */
  readonly columns: Columns;
  /** key of the outlined answer: digits go to it and to nothing else */
  readonly selected: string | null;
  readonly receiptsOpen: boolean;
  /** newest sessions of the conversation that are drawn */
  readonly shownSessions: number;
}

export const sessionsPerPage = 40;

/** What a person is doing on the Rate screen; the conversation and the mode survive a reload. */
export const useRateStore = create<RateStore>()(
  persist(
    (): RateStore => ({
      taskId: newTaskId(new Date()),
      columns: 1,
      selected: null,
      receiptsOpen: false,
      shownSessions: sessionsPerPage,
    }),
    {
      name: 'plaudit.rate',
      storage: createJSONStorage(() => localStorage),
      partialize: ({ taskId, columns }) => ({ taskId, columns }),
    },
  ),
);

export function openConversation(taskId: string): void {
  useRateStore.setState({ taskId, selected: null, shownSessions: sessionsPerPage });
}

export function selectAnswer(key: string | null): void {
  useRateStore.setState({ selected: key });
}

/** `chat-20261129-160312-k3f9q`: readable as a time, usable as a file name, unique enough for one desk. */
export function newTaskId(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  const time = `${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
  return `chat-${day}-${time}-${randomWord()}`;
}

/** Five letters and digits. */
export function randomWord(): string {
  return [...crypto.getRandomValues(new Uint8Array(5))].map((byte) => (byte % 36).toString(36)).join('');
}
