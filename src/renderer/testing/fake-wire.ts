import type { ErrorBody } from '../../shared/wire/errors';
import type { InteractionView, SessionView, Status } from '../../shared/wire/rl';

/** Builders of wire bodies for the fake gateway; every field real, every value plain. */
export const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

export const errorBody = (code: string, message: string): ErrorBody => ({
  detail: message,
  error: { message, type: 'invalid_request_error', param: null, code },
});

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 8, 0, second)).toISOString();

export function statusOf(change: Partial<Status> = {}): Status {
  return {
    experiment: 'demo',
    trial: 'trial-0',
    dump_dir: '/dumps/demo/trial-0',
    served_version: 0,
    trained_version: 0,
    engine: { state: 'serving', detail: null, name: 'embedded', running: 0 },
    trainer: { state: 'idle', batch_id: null, phase: null, fraction: null },
    batch: { size: 16, filled: 0, open_rated: 0, next_id: 1 },
    model: { name: 'plaudit-demo', parameters: 1_243_000, context_length: 512, is_demo: true },
    trouble: [],
    ...change,
  };
}

export function sessionOf(id: string, taskId: string, groupId: string | undefined, nth: number): SessionView {
  return {
    session_id: id,
    task_id: taskId,
    group_id: groupId ?? id,
    api_key: `sk-sess-${id}`,
    source: 'human',
    rater_id: 'rater',
    turn_discount: 0,
    state: 'open',
    created_at: at(nth),
    ended_at: null,
    interaction_count: 0,
    rated_count: 0,
  };
}

export function interactionOf(
  id: string,
  sessionId: string,
  messages: InteractionView['messages'],
  nth: number,
): InteractionView & { note: string | null; rated_at: string } {
  return {
    interaction_id: id,
    session_id: sessionId,
    parent_id: null,
    state: 'running',
    messages,
    output: null,
    finish_reason: null,
    prompt_tokens: 12,
    completion_tokens: 0,
    version_rle: [],
    reward: null,
    rating_state: 'unrated',
    batch_id: null,
    version: null,
    reason: null,
    created_at: at(nth),
    error: null,
    note: null,
    rated_at: at(nth + 1),
  };
}

export function chatChunk(
  id: string,
  sessionId: string,
  content: string,
  finishReason: 'stop' | null,
  runs: readonly (readonly [number, number])[],
  more: Readonly<Record<string, unknown>> = {},
): string {
  const chunk = {
    id,
    object: 'chat.completion.chunk',
    created: 1_767_225_600,
    model: 'plaudit-demo',
    choices: [{ index: 0, delta: finishReason === null ? { content, ...more } : {}, finish_reason: finishReason }],
    plaudit: { session_id: sessionId, version_rle: runs },
  };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

interface StreamPorts {
  readonly send: (frame: string) => void;
  readonly close: () => void;
  /** resolves when the client goes away */
  readonly aborted: Promise<void>;
}

/** A response whose body the writer sends frame by frame; an abort of the client breaks it as fetch would. */
export function openStream(signal: AbortSignal | undefined, write: (ports: StreamPorts) => Promise<void>): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      let isOpen = true;
      const aborted = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
      signal?.addEventListener('abort', () => {
        if (isOpen) controller.error(new DOMException('The operation was aborted.', 'AbortError'));
        isOpen = false;
      });
      void write({
        aborted,
        send: (frame) => {
          if (isOpen) controller.enqueue(encoder.encode(frame));
        },
        close: () => {
          if (isOpen) controller.close();
          isOpen = false;
        },
      });
    },
  });
  return new Response(body, { status: 200, headers: { 'content-type': 'text/event-stream' } });
}
