import { useEffect, useState } from 'react';
import { answersOf, type Block } from './answer';
import { selectAnswer, useRateStore } from './rate-store';

/**
 * A conversation that was opened is at its newest answer, once all of it is read: that one is outlined, unless
 * something is. True from then on.
 */
export function useOpening(taskId: string, blocks: readonly Block[], loading: boolean): boolean {
  const [opened, setOpened] = useState<string | null>(null);
  const selected = useRateStore((state) => state.selected);
  const newest = newestToJudge(blocks);
  useEffect(() => {
    if (loading || newest === null) {
      if (opened !== taskId) setOpened(null);
      return;
    }
    setOpened(taskId);
    if (selected === null) selectAnswer(newest);
  }, [taskId, loading, newest, opened, selected]);
  return opened === taskId;
}

/** In a round the first answer without a score; in a chat the last answer. */
function newestToJudge(blocks: readonly Block[]): string | null {
  const block = blocks.at(-1);
  if (block === undefined) return null;
  const answers = answersOf(block);
  const answer = block.kind === 'chat' ? answers.at(-1) : (answers.find(({ reward }) => reward === null) ?? answers[0]);
  return answer?.key ?? null;
}
