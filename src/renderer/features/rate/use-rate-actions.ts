import type { Action } from '../../components/actions/action';
import { useActions } from '../../components/actions/use-actions';
import { useText } from '../../i18n/text';
import { type Answer, answersOf, type Block } from './answer';
import { columnName } from './format';
import { allStars } from './judge-panel';
import { leaveText, outlineAnswer } from './outline';
import { useRateStore } from './rate-store';
import { closeReceipts, isFocusInReceipts, toggleReceiptsByKey } from './receipts-focus';
import type { Scoring } from './use-scoring';

export interface RateActionSources {
  readonly blocks: readonly Block[];
  readonly block: Block | undefined;
  readonly answer: Answer | undefined;
  readonly scoring: Scoring;
  /** false: nothing was running any more */
  readonly onStop: () => boolean;
  readonly onAgain: (() => void) | null;
  readonly onEnd: (() => void) | null;
  readonly onNew: () => void;
}

/** Everything the Rate screen can do, with its keys: one list for keyboard, palette and help. */
export function useRateActions(sources: RateActionSources): void {
  const text = useText().rate;
  useActions('screen', [
    {
      id: 'write',
      label: text.keys.write,
      keys: ['/', 'Enter'],
      run: () => document.getElementById('composer')?.focus(),
    },
    { id: 'note', label: text.keys.note, keys: ['n'], run: () => document.getElementById('note')?.focus() },
    {
      id: 'again',
      label: text.regenerate,
      keys: ['r'],
      enabled: sources.onAgain !== null,
      run: () => sources.onAgain?.(),
    },
    {
      id: 'leave',
      label: text.keys.leave,
      keys: ['Escape'],
      whileTyping: true,
      keyOnly: true,
      run: () => leave(sources),
    },
    {
      id: 'end',
      label: text.endSession,
      keys: ['mod+Enter'],
      whileTyping: true,
      enabled: sources.onEnd !== null,
      run: () => sources.onEnd?.(),
    },
    { id: 'new', label: text.newConversation, run: sources.onNew },
    {
      id: 'receipts',
      label: text.keys.receipts,
      keys: ['l'],
      run: toggleReceiptsByKey,
    },
    ...moveActions(sources, text),
    ...selectActions(sources, text),
    // Last: the palette opens on the first action, and Enter there must never be a score.
    ...scoreActions(sources, text),
  ]);
}

type RateText = ReturnType<typeof useText>['rate'];

function scoreActions({ scoring }: RateActionSources, text: RateText): Action[] {
  return [
    ...allStars.map((stars) => ({
      id: `score-${stars}`,
      label: text.keys.score(stars, text.scores[stars - 1] ?? ''),
      keys: [String(stars)],
      enabled: scoring.canRate,
      run: () => scoring.rate(stars),
    })),
    {
      id: 'withdraw',
      label: text.withdraw,
      keys: ['0', '-', 'Backspace'],
      enabled: scoring.canWithdraw,
      run: scoring.withdraw,
    },
  ];
}

function moveActions({ blocks, answer }: RateActionSources, text: RateText): Action[] {
  const answers = blocks.flatMap(answersOf);
  const at = answers.findIndex(({ key }) => key === answer?.key);
  const move = (step: number): void => {
    const target = answers[at === -1 ? answers.length - 1 : Math.min(Math.max(at + step, 0), answers.length - 1)];
    if (target !== undefined) outlineAnswer(target.key);
  };
  return [
    {
      id: 'next',
      label: text.keys.next,
      keys: ['j', 'ArrowDown', 'ArrowRight'],
      repeats: true,
      keyOnly: true,
      run: () => move(1),
    },
    {
      id: 'previous',
      label: text.keys.previous,
      keys: ['k', 'ArrowUp', 'ArrowLeft'],
      repeats: true,
      keyOnly: true,
      run: () => move(-1),
    },
  ];
}

/** Letters that mean something else on this screen; columns of these names are reached by moving. */
const otherLetters: readonly string[] = ['J', 'K', 'L', 'N', 'R'];

/** The letters of a round's columns. */
function selectActions({ blocks, block }: RateActionSources, text: RateText): Action[] {
  const newest = blocks[blocks.length - 1];
  const round = block?.kind === 'side-by-side' ? block : newest?.kind === 'side-by-side' ? newest : undefined;
  const columns = (round?.turn.answers ?? []).map((answer, index) => ({ answer, name: columnName(index) }));
  return columns
    .filter(({ name }) => name.length === 1 && !otherLetters.includes(name))
    .map(({ answer, name }) => ({
      id: `select-${name}`,
      label: text.keys.select(name),
      keys: [name.toLowerCase()],
      keyOnly: true,
      run: () => outlineAnswer(answer.key),
    }));
}

/** The nearest thing first: receipts that hold the focus, a running answer, a text, receipts left open. */
function leave({ onStop, answer }: RateActionSources): void {
  const isOpen = useRateStore.getState().receiptsOpen;
  if (isOpen && isFocusInReceipts()) closeReceipts();
  else if (onStop()) return;
  else if (isOpen && !isTyping()) closeReceipts();
  else leaveText(answer?.key ?? null);
}

const isTyping = (): boolean => document.activeElement instanceof HTMLTextAreaElement;
