import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { isFocusFree } from '../../components/actions/find-action';
import { clearPlace, useNavigationStore } from '../../components/navigation/navigation-store';
import { useClients } from '../../data/clients';
import { useStatus } from '../../data/shared-queries';
import { useText } from '../../i18n/text';
import { type Answer, answersOf, type Block } from './answer';
import { askAgain, askMessage, type Place, runningAnswers } from './ask';
import { ChatHeader } from './chat-header';
import { Composer } from './composer';
import { ConversationsPanel } from './conversations-panel';
import { type DraftWriter, draftKeys, loadDrafts, unconfirmedRatings, useDraftStore } from './drafts';
import { EmptyChat } from './empty-chat';
import { columnName } from './format';
import { JudgePanel } from './judge-panel';
import { removeLive, stoppable } from './live-store';
import { outlineAnswer } from './outline';
import classes from './rate-page.module.css';
import { newTaskId, openConversation, useRateStore } from './rate-store';
import { readRating, setPending, useRatingStore } from './rating-store';
import { ReceiptsBar } from './receipts-bar';
import { openReceipts } from './receipts-focus';
import { useRateServices } from './services';
import { sessionsOf } from './session-box';
import { TranscriptView } from './transcript-view';
import { useContextRoom } from './use-context-room';
import { useConversation } from './use-conversation';
import { useOpening } from './use-opening';
import { useRateActions } from './use-rate-actions';
import { useScoring } from './use-scoring';
import { useStickToEnd } from './use-stick-to-end';

/** Talk to the served model, score what it says, see what becomes of each score. */
export function RatePage() {
  const text = useText().rate;
  const status = useStatus().data;
  const { sender, rater, drafts } = useRateServices();
  const { taskId, blocks, sessions, hiddenSessions, loading } = useConversation();
  const selected = useRateStore((state) => state.selected);
  const columns = useRateStore((state) => state.columns);
  const scroller = useRef<HTMLDivElement>(null);
  const place: Place = { taskId, blocks, sessions };
  const block = blocks.find((candidate) => answersOf(candidate).some(({ key }) => key === selected)) ?? blocks.at(-1);
  const answer = block === undefined ? undefined : answersOf(block).find(({ key }) => key === selected);
  const scoring = useScoring(block, answer);
  const running = runningAnswers(blocks);
  const again = turnToRepeat(blocks, block);
  const openIds = block === undefined || block.ended ? [] : sessionsOf(block);

  const context = useContextRoom(place, selected, columns);

  useComposerFocus();
  useRestored();
  useRequestedPlace();
  const opened = useOpening(taskId, blocks, loading);
  useStickToEnd(scroller, `${taskId} ${opened} ${running[0]?.key ?? ''}`);

  function send(message: string): void {
    drafts.write(draftKeys.pending(taskId), message, true);
    drafts.write(draftKeys.composer(taskId), '', true);
    askMessage(place, message, columns, selected, sender);
  }

  /** Read at the press: an answer that has ended by itself since the last picture is no longer stopped. */
  function stop(): boolean {
    const stopped = stoppable(taskId);
    const first = stopped[0];
    if (first === undefined) return false;
    const outlined = stopped.find(({ key }) => key === useRateStore.getState().selected) ?? first;
    for (const { key } of stopped) sender.stop(key);
    // The next digit is meant as a score, so it must not be typed.
    outlineAnswer(outlined.key);
    return true;
  }

  function startNew(): void {
    openConversation(newTaskId(new Date()));
    document.getElementById('composer')?.focus();
  }

  function startNewWith(message: string): void {
    startNew();
    drafts.write(draftKeys.composer(useRateStore.getState().taskId), message, true);
  }

  function takeDraftAlong(): void {
    startNewWith(useDraftStore.getState().texts[draftKeys.composer(taskId)] ?? '');
    drafts.write(draftKeys.composer(taskId), '', true);
  }

  function takeMessageAlong({ key }: Answer, message: string): void {
    startNewWith(message);
    drafts.write(draftKeys.pending(taskId), '', true);
    removeLive(key);
  }

  useRateActions({
    blocks,
    block,
    answer,
    scoring,
    onStop: stop,
    onAgain: again === null || running.length > 0 ? null : () => askAgain(place, again.block, again.turn, sender),
    onEnd: openIds.length === 0 ? null : () => openIds.forEach((id) => void rater.endSession(id)),
    onNew: startNew,
  });

  return (
    <div className={classes.page}>
      <ConversationsPanel onNew={startNew} />
      <div className={classes.chat}>
        <ChatHeader onNew={startNew} />
        <div ref={scroller} className={classes.scroller}>
          <div className={classes.transcript} data-testid="transcript">
            {blocks.length === 0 && !loading ? <EmptyChat taskId={taskId} /> : null}
            <TranscriptView place={place} hiddenSessions={hiddenSessions} onNew={takeMessageAlong} />
          </div>
        </div>
        <Composer
          taskId={taskId}
          modelName={status?.model.name ?? ''}
          isRunning={running.length > 0}
          canStop={stoppable(taskId).length > 0}
          isReady={!loading || sessions.length === 0}
          context={context}
          onSend={(message) => context.check(message, send)}
          onStop={stop}
          onNew={takeDraftAlong}
        />
      </div>
      <JudgePanel block={block} answer={answer} title={titleOf(block, answer?.key, text)} />
      <ReceiptsBar />
    </div>
  );
}

function titleOf(block: Block | undefined, key: string | undefined, text: ReturnType<typeof useText>['rate']): string {
  if (block?.kind !== 'side-by-side' || key === undefined) return text.judge;
  const index = answersOf(block).findIndex((answer) => answer.key === key);
  return text.judgeAnswer(columnName(index));
}

/** `r` answers the newest message once more; an older one would tear the conversation apart. */
function turnToRepeat(blocks: readonly Block[], block: Block | undefined) {
  if (block === undefined || block.kind !== 'chat' || block !== blocks.at(-1)) return null;
  const turn = block.turns.at(-1);
  return turn?.answers.some(({ phase }) => phase === 'finished') ? { block, turn } : null;
}

/** The screen opens ready to write; Escape leads from there to the scores. */
function useComposerFocus(): void {
  const openings = useNavigationStore((state) => state.openings);
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked for anew, the screen is ready to write anew
  useEffect(() => {
    if (isFocusFree()) document.getElementById('composer')?.focus();
  }, [openings]);
}

/** Drafts and unconfirmed ratings of the last time, once. */
function useRestored(): void {
  const clients = useClients();
  const queryClient = useQueryClient();
  const { drafts } = useRateServices();
  useEffect(() => {
    const first = !useDraftStore.getState().loaded;
    if (!first) return;
    void loadDrafts(clients, queryClient, drafts).then(() => {
      const { texts } = useDraftStore.getState();
      keepConversationOpen(texts[draftKeys.open] ?? '', drafts);
      for (const [id, stored] of unconfirmedRatings(texts)) {
        const rating = readRating(id, stored);
        if (rating !== null && useRatingStore.getState().pending[id] === undefined) setPending(rating);
      }
    });
  }, [clients, queryClient, drafts]);
}

/** Opens the conversation that was on screen last, and from now on notes which one is. */
function keepConversationOpen(lastOpen: string, drafts: DraftWriter): void {
  if (lastOpen !== '' && lastOpen !== useRateStore.getState().taskId) openConversation(lastOpen);
  else drafts.write(draftKeys.open, useRateStore.getState().taskId, true);
  useRateStore.subscribe(({ taskId }, before) => {
    if (taskId !== before.taskId) drafts.write(draftKeys.open, taskId, true);
  });
}

/** The status bar's batch fact leads to the receipts. */
function useRequestedPlace(): void {
  const place = useNavigationStore((state) => state.place);
  useEffect(() => {
    if (place !== 'receipts') return;
    openReceipts();
    clearPlace();
  }, [place]);
}
