import type { SessionId } from '../../shared/domain/ids';
import { err, ok, type Result } from '../../shared/lib/result';
import type { Clock } from '../platform/clock';
import type { EventHub } from '../platform/event-hub';
import { type Refusal, refusal } from '../platform/refusal';
import type { Database } from '../store/database';
import type { DroppedStore } from '../store/dropped';
import type { RewardStore } from '../store/rewards';
import { type Exported, type ExportPorts, type ExportRequest, exportTrajectories } from './export-trajectories';

export interface TakePorts extends ExportPorts {
  readonly database: Database;
  readonly dropped: DroppedStore;
  readonly rewards: RewardStore;
  readonly clock: Clock;
  readonly events: EventHub;
  /** milliseconds a taker waits for the end of the session */
  readonly takeTimeoutMs: number;
  /** aborted when the gateway closes */
  readonly closing: AbortSignal;
}

/**
 * Gives an ended session to a trainer outside, for good: from the same commit on nothing of it is ever trained here.
 *
 * Waits until the session has ended and no answer of it runs. A session of which something is in a batch or was trained
 * is refused as a whole. Taking it again gives the same content: nothing of a taken session can change any more.
 *
 * @param signal - the taker's: an abort before the end takes nothing
 */
export async function takeTrajectories(
  ports: TakePorts,
  request: ExportRequest,
  signal: AbortSignal,
): Promise<Result<Exported, Refusal>> {
  const giveBack = ports.turns.claim(request.sessionId);
  try {
    const waited = await waitForEnd(ports, request.sessionId, signal);
    return waited.ok ? take(ports, request) : waited;
  } finally {
    giveBack();
  }
}

function take(ports: TakePorts, request: ExportRequest): Result<Exported, Refusal> {
  const { database, turns, rewards, dropped, clock, events } = ports;
  const { sessionId } = request;
  let isFirst = false;
  const taken = database.transaction((): Result<Exported, Refusal> => {
    const held = [...rewards.standingsOfSession(sessionId)].filter(
      ([, { state }]) => state === 'in-batch' || state === 'trained',
    );
    if (held.length > 0) {
      const named = held.map(([id, { state, batchId }]) => `${id} (${state}, batch ${batchId})`).join(', ');
      return err(refusal('already-trained', `Session ${sessionId} cannot be taken: ${named}. Use mode "peek".`));
    }
    const exported = exportTrajectories(ports, request);
    if (!exported.ok) return exported;
    const at = clock.now();
    isFirst = turns.markTaken(sessionId, at);
    if (isFirst)
      dropped.addSession(sessionId, `a trainer outside took the session at ${new Date(at).toISOString()}`, at);
    return exported;
  });
  if (isFirst) events.publish({ kind: 'reward-set', session_id: sessionId });
  return taken;
}

async function waitForEnd(ports: TakePorts, id: SessionId, signal: AbortSignal): Promise<Result<null, Refusal>> {
  const { events, clock, takeTimeoutMs, closing } = ports;
  const deadline = clock.now() + takeTimeoutMs;
  for (;;) {
    const facts = ports.turns.ofSession(id);
    if (facts === null) return err(refusal('not-found', `Session ${id} not found.`));
    if (facts.session.state === 'ended' && !facts.turns.some((turn) => turn.state === 'running')) return ok(null);
    if (closing.aborted) return err(refusal('closing', 'The gateway is closing. Try again when it is back.'));
    const left = deadline - clock.now();
    if (signal.aborted || left <= 0)
      return err(refusal('wait-timeout', `Session ${id} has not ended within ${takeTimeoutMs} ms. Nothing was taken.`));
    await nextChange({ events, clock, id, left, signals: [signal, closing] });
  }
}

/** Resolves when something of the session ends, when a signal aborts, or after `left` milliseconds. */
function nextChange(wait: {
  readonly events: EventHub;
  readonly clock: Clock;
  readonly id: SessionId;
  readonly left: number;
  readonly signals: readonly AbortSignal[];
}): Promise<void> {
  return new Promise((resolve) => {
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    const unsubscribe = wait.events.subscribe((event) => {
      if ((event.kind === 'session-end' || event.kind === 'interaction-end') && event.session_id === wait.id) wake();
    });
    for (const signal of wait.signals) signal.addEventListener('abort', wake, { once: true });
    void wait.clock.sleep(wait.left, woken.signal).then(() => {
      unsubscribe();
      for (const signal of wait.signals) signal.removeEventListener('abort', wake);
      resolve();
    });
  });
}
