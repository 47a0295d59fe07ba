import type { z } from 'zod';
import { encodeVersionRuns } from '../../shared/domain/version-runs';
import type { GatewayEvent } from '../../shared/wire/events';
import type { chatCompletionRequestSchema } from '../../shared/wire/openai-chat';
import type { InteractionView, Receipt, Receipts, SessionView, Status } from '../../shared/wire/rl';
import { chatChunk, errorBody, interactionOf, json, openStream, sessionOf, statusOf } from './fake-wire';

export interface Step {
  readonly text: string;
  readonly version: number;
  /** other fields of the frame's delta: thoughts, pieces of calls */
  readonly delta?: Readonly<Record<string, unknown>>;
  /** the step waits for it */
  readonly after?: Promise<void>;
}

interface Failure {
  readonly method: string;
  readonly path: RegExp;
  readonly status: number;
  readonly code: string;
  readonly message: string;
  times: number;
}

/**
 * The gateway as the renderer meets it: a fetch that keeps sessions, answers and ratings in memory. Rules that matter
 * to a person (ended sessions, held ratings, keys) are kept; training happens when the test says so.
 */
export class FakeGateway {
  readonly sessions: SessionView[] = [];
  readonly interactions: (InteractionView & { note: string | null; rated_at: string })[] = [];
  readonly requests: { readonly method: string; readonly path: string; readonly body: unknown }[] = [];
  readonly #failures: Failure[] = [];
  readonly #listeners = new Set<(frame: string) => void>();
  #closeEvents: (() => void)[] = [];
  status: Status = statusOf();
  unreachable = false;
  eventConnections = 0;
  /** what a prompt takes when the studio asks */
  countedTokens = 12;
  answer: (prompt: string, nth: number) => readonly Step[] = (prompt, nth) => [
    { text: `You said: ${prompt}`, version: this.status.served_version ?? 0 },
    { text: ` (${nth})`, version: this.status.served_version ?? 0 },
  ];

  /** The next `times` requests that match are refused. */
  failNext(method: string, path: RegExp, status: number, code: string, message: string, times = 1): void {
    this.#failures.push({ method, path, status, code, message, times });
  }

  publish(event: GatewayEvent): void {
    for (const send of this.#listeners) send(`event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  cutEvents(): void {
    for (const close of this.#closeEvents.splice(0)) close();
  }

  /** What the trainer would do to waiting ratings of ended sessions. */
  moveRatings(to: Pick<InteractionView, 'rating_state' | 'batch_id' | 'version' | 'reason'>): void {
    for (const [index, row] of this.interactions.entries()) {
      if (row.reward !== null) this.interactions[index] = { ...row, ...to };
    }
  }

  readonly fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    if (this.unreachable) throw new TypeError('Failed to fetch');
    init?.signal?.throwIfAborted();
    const url = new URL(String(input));
    const method = init?.method ?? 'GET';
    const body: unknown = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
    this.requests.push({ method, path: url.pathname, body });
    const failure = this.#failures.find((one) => one.times > 0 && one.method === method && one.path.test(url.pathname));
    if (failure !== undefined) {
      failure.times -= 1;
      return json(errorBody(failure.code, failure.message), failure.status);
    }
    const key = new Headers(init?.headers).get('authorization')?.replace('Bearer ', '') ?? '';
    return this.#route(method, url, body, key, init?.signal ?? undefined);
  };

  #route(method: string, url: URL, body: unknown, key: string, signal: AbortSignal | undefined): Response {
    const { pathname } = url;
    const id = decodeURIComponent(pathname.split('/')[3] ?? '');
    if (pathname === '/rl/status') return json({ ...this.status, batch: { ...this.status.batch, ...this.#fill() } });
    if (pathname === '/rl/recovery' && method === 'DELETE') return this.#noteRecovery();
    if (pathname === '/rl/receipts') return json(this.#receipts());
    if (pathname === '/rl/events') return this.#events(signal);
    if (pathname === '/rl/sessions') return json({ total: this.sessions.length, sessions: this.#newestFirst() });
    if (pathname === '/rl/start_session') return this.#start(body as Record<string, string | undefined>);
    if (pathname === '/rl/set_reward')
      return this.#setReward(body as { interaction_id: string; reward: number; note?: string });
    if (pathname.endsWith('/reward') && method === 'DELETE') return this.#withdraw(id);
    if (pathname.startsWith('/rl/interactions/')) return this.#interaction(id);
    if (pathname.endsWith('/end')) return this.#end(id);
    if (pathname.startsWith('/rl/sessions/')) return this.#session(id);
    if (pathname === '/v1/responses/input_tokens')
      return json({ object: 'response.input_tokens', input_tokens: this.countedTokens });
    if (pathname.endsWith('/chat/completions')) {
      return this.#chat(body as z.infer<typeof chatCompletionRequestSchema>, key, signal);
    }
    return json(errorBody('not_found', `No route ${pathname}`), 404);
  }

  #noteRecovery(): Response {
    const trouble = this.status.trouble.filter(({ kind }) => kind !== 'database-recovered');
    if (trouble.length === this.status.trouble.length) {
      return json(errorBody('not_found', 'There is no recovery to take note of.'), 404);
    }
    this.status = { ...this.status, trouble };
    return json({ message: 'success' });
  }

  #fill(): Pick<Status['batch'], 'filled' | 'open_rated'> {
    const waiting = this.interactions.filter(({ rating_state }) => rating_state === 'waiting');
    const ended = new Set(this.sessions.filter(({ state }) => state === 'ended').map(({ session_id }) => session_id));
    const filled = waiting.filter(({ session_id }) => ended.has(session_id)).length;
    return { filled, open_rated: waiting.length - filled };
  }

  #newestFirst(): SessionView[] {
    const counted = this.sessions.map((session) => {
      const own = this.interactions.filter(({ session_id }) => session_id === session.session_id);
      return {
        ...session,
        interaction_count: own.length,
        rated_count: own.filter(({ reward }) => reward !== null).length,
      };
    });
    return counted.reverse();
  }

  #start(body: Record<string, string | undefined>): Response {
    const taskId = body.task_id ?? 'task';
    const count = this.sessions.filter(({ task_id }) => task_id === taskId).length;
    const session = sessionOf(`${taskId}-${count}`, taskId, body.group_id, this.sessions.length);
    this.sessions.push(session);
    this.publish({ kind: 'session-start', session_id: session.session_id });
    return json({ session_id: session.session_id, api_key: session.api_key });
  }

  #session(id: string): Response {
    const session = this.#newestFirst().find(({ session_id }) => session_id === id);
    if (session === undefined) return json(errorBody('not_found', `Session ${id} not found.`), 404);
    return json({ ...session, interactions: this.interactions.filter(({ session_id }) => session_id === id) });
  }

  #interaction(id: string): Response {
    const row = this.interactions.find(({ interaction_id }) => interaction_id === id);
    return row === undefined ? json(errorBody('not_found', `Interaction ${id} not found.`), 404) : json(row);
  }

  #end(id: string): Response {
    const index = this.sessions.findIndex(({ session_id }) => session_id === id);
    const session = this.sessions[index];
    if (session === undefined) return json(errorBody('not_found', `Session ${id} not found.`), 404);
    this.sessions[index] = { ...session, state: 'ended', ended_at: '2026-01-01T00:00:59Z' };
    this.publish({ kind: 'session-end', session_id: id });
    return json({ message: 'success', interaction_count: 1 });
  }

  #setReward({ interaction_id, reward, note }: { interaction_id: string; reward: number; note?: string }): Response {
    const index = this.interactions.findIndex((row) => row.interaction_id === interaction_id);
    const row = this.interactions[index];
    if (row === undefined) return json(errorBody('not_found', `Interaction ${interaction_id} not found.`), 404);
    if (!['unrated', 'waiting'].includes(row.rating_state)) {
      return json(errorBody('rating_held', `The rating of ${interaction_id} is in batch ${row.batch_id}.`), 409);
    }
    this.interactions[index] = { ...row, reward, note: note ?? null, rating_state: 'waiting' };
    this.publish({ kind: 'reward-set', interaction_id });
    return json({
      message: 'success',
      interaction_id,
      outcome: row.reward === null ? 'set' : 'changed',
      previous_reward: row.reward,
    });
  }

  #withdraw(id: string): Response {
    const index = this.interactions.findIndex((row) => row.interaction_id === id);
    const row = this.interactions[index];
    if (row === undefined) return json(errorBody('not_found', `Interaction ${id} not found.`), 404);
    this.interactions[index] = { ...row, reward: null, rating_state: 'unrated' };
    return json({ message: 'success', previous_reward: row.reward });
  }

  #receipts(): Receipts {
    const rated = this.interactions.filter(({ reward }) => reward !== null);
    const countBy = <T>(rows: readonly T[], by: (row: T) => string | number) => {
      const counts = new Map<string | number, number>();
      for (const row of rows) counts.set(by(row), (counts.get(by(row)) ?? 0) + 1);
      return [...counts];
    };
    const inState = (state: string) => rated.filter(({ rating_state }) => rating_state === state);
    return {
      counts: {
        waiting: inState('waiting').length,
        in_batch: countBy(inState('in-batch'), (row) => row.batch_id ?? 0).map(([id, count]) => ({
          batch_id: Number(id),
          count,
        })),
        trained: countBy(inState('trained'), (row) => row.version ?? 0).map(([version, count]) => ({
          version: Number(version),
          count,
        })),
        dropped: countBy(inState('dropped'), (row) => row.reason ?? '').map(([reason, count]) => ({
          reason: String(reason),
          count,
        })),
      },
      ratings: rated
        .map(
          (row): Receipt => ({
            interaction_id: row.interaction_id,
            session_id: row.session_id,
            task_id: 'task',
            reward: row.reward ?? 0,
            rater_id: 'rater',
            rated_at: row.rated_at,
            state: row.rating_state,
            revocable: row.rating_state === 'waiting',
            batch_id: row.batch_id,
            version: row.version,
            reason: row.reason,
            excerpt: (row.output ?? '').slice(0, 80),
          }),
        )
        .reverse(),
    };
  }

  #events(signal: AbortSignal | undefined): Response {
    this.eventConnections += 1;
    return openStream(signal, ({ send, close }) => {
      this.#listeners.add(send);
      this.#closeEvents.push(() => {
        this.#listeners.delete(send);
        close();
      });
      return new Promise(() => {});
    });
  }

  #chat(body: z.infer<typeof chatCompletionRequestSchema>, key: string, signal: AbortSignal | undefined): Response {
    const session = this.sessions.find(({ api_key, state }) => api_key === key && state === 'open');
    if (session === undefined)
      return json(errorBody('invalid_api_key', 'Invalid session key: its session ended.'), 401);
    const id = `chatcmpl-${String(this.interactions.length).padStart(29, '0')}`;
    const prompt = String(body.messages[body.messages.length - 1]?.content ?? '');
    const row = interactionOf(id, session.session_id, body.messages, this.interactions.length);
    this.interactions.push(row);
    const steps = this.answer(prompt, this.interactions.length);
    return openStream(signal, async ({ send, close, aborted }) => {
      const said: Step[] = [];
      const runs = () => encodeVersionRuns(said.map(({ version }) => version));
      const finish = (reason: 'stop' | 'abort') => {
        const index = this.interactions.findIndex(({ interaction_id }) => interaction_id === id);
        this.interactions[index] = {
          ...row,
          state: 'finished',
          output: said.map(({ text }) => text).join(''),
          finish_reason: reason,
          completion_tokens: said.length,
          version_rle: runs().map(([version, length]) => [version, length]),
          tokens: said.map(({ text, version }, at) => ({ id: at, text, logprob: -0.5, version })),
        };
        this.publish({ kind: 'interaction-end', session_id: session.session_id, interaction_id: id });
      };
      for (const step of steps) {
        await Promise.race([step.after ?? Promise.resolve(), aborted]);
        if (signal?.aborted) return finish('abort');
        said.push(step);
        send(chatChunk(id, session.session_id, step.text, null, runs(), step.delta));
      }
      finish('stop');
      send(chatChunk(id, session.session_id, '', 'stop', runs()));
      send('data: [DONE]\n\n');
      close();
    });
  }
}
