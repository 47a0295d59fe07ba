import type { QueryClient } from '@tanstack/react-query';
import { settingsSchema } from '../../../shared/ipc/contract';
import type { Status } from '../../../shared/wire/rl';
import type { ChatStream } from '../../data/chat-stream';
import type { Clients } from '../../data/clients';
import type { GatewayProblem } from '../../data/gateway-problem';
import { queryKeys } from '../../data/query-keys';
import { settingsQuery, statusQuery } from '../../data/shared-queries';
import { isRunning } from './answer';
import { createCoalescer } from './coalescer';
import { appendCalls, appendPiece, changeLive, type LiveAnswer, liveAnswer, removeLive } from './live-store';
import { findStopped, knownInteractions } from './stopped-answer';

export interface SenderPorts {
  readonly clients: Clients;
  readonly queryClient: QueryClient;
  /** resolves a little later, or at once when the signal aborts */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** the gateway has the message now: its draft may go */
  readonly onAccepted: (answer: LiveAnswer) => void;
  /** stopped before anything of it existed: its message is the person's again */
  readonly onUnanswered: (answer: LiveAnswer) => void;
  /** runs its argument a frame or two later */
  readonly schedule: (run: () => void) => void;
}

const retryPauseMs = 700;

/** Runs live answers outside React, so that leaving the screen does not cut them off. */
export function createSender(ports: SenderPorts) {
  const running = new Map<string, AbortController>();

  async function run(key: string): Promise<void> {
    const abort = new AbortController();
    running.set(key, abort);
    try {
      await answerOne(ports, key, abort.signal);
    } finally {
      running.delete(key);
      const sessionId = liveAnswer(key)?.sessionId;
      void ports.queryClient.invalidateQueries({ queryKey: queryKeys.sessions });
      if (sessionId != null) {
        void ports.queryClient.invalidateQueries({ queryKey: [...queryKeys.session, sessionId] });
      }
    }
  }

  return {
    run,
    /** Ends the answer where it is; one of which nothing exists goes away. What has ended by itself stays as it is. */
    stop(key: string): void {
      const abort = running.get(key);
      const live = liveAnswer(key);
      if (abort === undefined || live === undefined || !isRunning(live)) return;
      changeLive(key, { phase: 'stopping' });
      abort.abort();
    },
  };
}

export type Sender = ReturnType<typeof createSender>;

async function answerOne(ports: SenderPorts, key: string, signal: AbortSignal): Promise<void> {
  const known = ports.queryClient.getQueryData(statusQuery(ports.clients).queryKey);
  if (known !== undefined && !canAnswer(known)) {
    // Asking an engine that is known to be away would only leave a failed answer in the record.
    changeLive(key, { phase: 'waiting', problem: engineAway });
    await waitForEngine(ports, signal);
  }
  // Interactions there were before the gateway was asked; null: it was never asked.
  let earlier: ReadonlySet<string> | null = null;
  while (!signal.aborted) {
    let problem = await ensureSession(ports, key);
    if (problem === null && !signal.aborted) {
      earlier ??= knownInteractions(ports.queryClient, liveAnswer(key)?.sessionId ?? null);
      problem = await streamAnswer(ports, key, signal);
    }
    if (signal.aborted) break;
    if (problem === null) return;
    if (!isPassing(problem)) return changeLive(key, { phase: 'failed', problem });
    changeLive(key, { phase: 'waiting', problem });
    await waitForEngine(ports, signal);
  }
  await finishStopped(ports, key, earlier);
}

/** Opens the answer's session unless it has one. Null: there is one now. */
async function ensureSession({ clients, queryClient }: SenderPorts, key: string): Promise<GatewayProblem | null> {
  const live = liveAnswer(key);
  if (live === undefined || live.sessionId !== null) return null;
  changeLive(key, { phase: 'starting', problem: null });
  const settings = settingsSchema.parse(await queryClient.ensureQueryData(settingsQuery(clients)));
  const started = await clients.gateway.startSession({
    task_id: live.taskId,
    source: 'human',
    rater_id: settings.raterId,
    turn_discount: 0,
    ...(live.groupId === null ? {} : { group_id: live.groupId }),
  });
  if (!started.ok) return started.error;
  changeLive(key, { sessionId: started.value.session_id, sessionKey: started.value.api_key });
  void queryClient.invalidateQueries({ queryKey: queryKeys.sessions });
  return null;
}

/** Null when the answer ended well or failed for good (the live answer then says so); else why it never began. */
async function streamAnswer(ports: SenderPorts, key: string, signal: AbortSignal): Promise<GatewayProblem | null> {
  const { clients, queryClient } = ports;
  const live = liveAnswer(key);
  if (live === undefined || live.sessionKey === null || signal.aborted) return null;
  const settings = settingsSchema.parse(await queryClient.ensureQueryData(settingsQuery(clients)));
  if (signal.aborted) return null;
  const status = queryClient.getQueryData(statusQuery(clients).queryKey);
  changeLive(key, { phase: 'streaming', problem: null });
  const opened = await clients.gateway.chat({
    sessionKey: live.sessionKey,
    model: status?.model.name ?? 'default',
    messages: live.messages,
    temperature: settings.temperature,
    maxNewTokens: settings.maxNewTokens,
    signal,
  });
  return opened.ok ? showStream(ports, key, opened.value, signal) : opened.error;
}

/** Lays the stream over the live answer. Returns a problem only if nothing of the answer has begun. */
async function showStream(
  ports: SenderPorts,
  key: string,
  stream: ChatStream,
  signal: AbortSignal,
): Promise<GatewayProblem | null> {
  let begun = false;
  let accepted = false;
  const accept = (answer: LiveAnswer): void => {
    if (!accepted) ports.onAccepted(answer);
    accepted = true;
  };
  const shown = createCoalescer<LiveAnswer>((change) => changeLive(key, change), ports.schedule);
  for await (const event of stream) {
    const now = liveAnswer(key);
    if (now === undefined) return null;
    if (event.kind === 'delta') {
      begun = true;
      // The frame before the first token says nothing: stopped there, the message goes back.
      if (event.text !== '' || event.reasoning !== '' || event.calls.length > 0 || event.runs?.length) accept(now);
      const before = { ...now, ...shown.pending() };
      const runs = event.runs ?? before.runs;
      shown.add({
        interactionId: event.interactionId,
        runs,
        pieces: appendPiece(before.pieces, event.text, runs),
        reasoning: before.reasoning + event.reasoning,
        toolCalls: appendCalls(before.toolCalls, event.calls),
      });
      continue;
    }
    shown.flush();
    if (event.kind === 'end') {
      accept(now);
      changeLive(key, { phase: 'finished', finishReason: event.finishReason });
    } else if (signal.aborted || (!begun && event.problem.kind === 'refused')) return event.problem;
    else changeLive(key, { phase: 'failed', problem: event.problem });
  }
  return null;
}

/**
 * A stopped answer keeps what it said. Where this window saw nothing of it the gateway may have more: what it has
 * stays too, and only a message without a single token of an answer goes back.
 */
async function finishStopped(ports: SenderPorts, key: string, earlier: ReadonlySet<string> | null): Promise<void> {
  const live = liveAnswer(key);
  // Its end may have come together with the stop.
  if (live === undefined || !isRunning(live)) return;
  if (!isWordless(live)) return changeLive(key, { phase: 'finished', finishReason: 'abort', problem: null });
  const found = earlier === null ? null : await findStopped(ports, live, earlier);
  if (found === null) {
    removeLive(key);
    ports.onUnanswered(live);
    return;
  }
  ports.onAccepted(live);
  changeLive(key, {
    interactionId: found.interaction_id,
    phase: 'finished',
    finishReason: found.finish_reason ?? 'abort',
    problem: null,
  });
}

const isWordless = ({ pieces, reasoning, toolCalls, runs }: LiveAnswer): boolean =>
  pieces.length === 0 && reasoning === '' && toolCalls.length === 0 && runs.length === 0;

/** True for what goes away by waiting: an engine or gateway that is starting, restarting or busy. */
export function isPassing(problem: GatewayProblem): boolean {
  switch (problem.kind) {
    case 'not-ready':
    case 'unreachable':
      return true;
    case 'refused':
      return problem.status === 503 || problem.code === 'engine_unavailable';
    case 'unreadable':
    case 'aborted':
      return false;
  }
}

/** What the gateway would say, said before asking it. */
export const engineAway: GatewayProblem = { kind: 'refused', status: 503, code: 'engine_unavailable', message: '' };

const canAnswer = ({ engine }: Status): boolean => engine.state === 'serving' || engine.state === 'updating';

async function waitForEngine({ clients, queryClient, pause }: SenderPorts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(retryPauseMs, signal);
    if (signal.aborted) return;
    const status = await clients.gateway.status(signal);
    if (!status.ok) continue;
    queryClient.setQueryData(statusQuery(clients).queryKey, status.value);
    if (canAnswer(status.value)) return;
  }
}
