import type { Ledger } from './ledger';

const ADMIN_KEY = 'durability-admin';

/** Calls one gateway until it dies; a call that the death cut short rejects. */
export class GatewayClient {
  constructor(private readonly url: string) {}

  async call(method: string, path: string, key: string, body?: unknown): Promise<{ status: number; text: string }> {
    const reply = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    return { status: reply.status, text: await reply.text() };
  }

  async json<T>(method: string, path: string, key: string, body?: unknown): Promise<T> {
    const { status, text } = await this.call(method, path, key, body);
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text}`);
    return JSON.parse(text) as T; // the caller names the route's reply
  }

  admin<T>(path: string): Promise<T> {
    return this.json<T>('GET', path, ADMIN_KEY);
  }
}

/**
 * One client's life: sessions with one to three turns, whole and streamed, rated, rated again, withdrawn, ended.
 *
 * Never returns; rejects when the gateway dies. Every fact goes into the ledger when, and only when, its reply is there.
 */
export async function liveUntilDeath(
  client: GatewayClient,
  ledger: Ledger,
  random: () => number,
  rejected: (problem: string) => void,
): Promise<void> {
  let oldKey: string | null = null;
  for (;;) {
    const isHuman = random() < 0.5;
    const started: { session_id: string; api_key: string } = await client.json('POST', '/rl/start_session', ADMIN_KEY, {
      task_id: `t${Math.floor(random() * 5)}`,
      source: isHuman ? 'human' : 'agent',
      turn_discount: isHuman ? 0 : 1,
      ...(oldKey === null || random() < 0.5 ? {} : { api_key: oldKey }),
    });
    const { session_id: session, api_key: key } = started;
    ledger.started(session, key);
    const answers: string[] = [];
    for (let turn = 0; turn <= random() * 3; turn += 1)
      answers.push(await ask(client, ledger, { session, key, turn, stream: random() < 0.5 }));
    for (const id of answers)
      if (random() < 0.8) {
        await rate(client, ledger, { session, key, id, value: Math.round(random() * 2000 - 1000) / 1000 }, rejected);
        if (random() < 0.2)
          await rate(client, ledger, { session, key, id, value: random() < 0.3 ? null : 0.25 }, rejected);
      }
    ledger.ending(session);
    const end = await client.call('POST', '/rl/end_session', key);
    if (end.status === 200) ledger.ended(session);
    else rejected(`end_session of ${session}: ${end.status} ${end.text}`);
    oldKey = key;
  }
}

async function ask(
  client: GatewayClient,
  ledger: Ledger,
  { session, key, turn, stream }: { session: string; key: string; turn: number; stream: boolean },
): Promise<string> {
  const messages = [{ role: 'user', content: `turn ${turn}${'!'.repeat(turn)}` }];
  const { status, text } = await client.call('POST', '/v1/chat/completions', key, { model: 'm', messages, stream });
  if (status !== 200) throw new Error(`chat: ${status} ${text}`);
  const { id, content } = stream ? readStream(text) : readWhole(text);
  ledger.answered(session, id, content);
  return id;
}

interface Choice {
  readonly message?: { readonly content?: string };
  readonly delta?: { readonly content?: string };
}

function readWhole(text: string): { id: string; content: string } {
  const body = JSON.parse(text) as { id: string; choices: Choice[] }; // the route's own reply
  return { id: body.id, content: body.choices[0]?.message?.content ?? '' };
}

function readStream(text: string): { id: string; content: string } {
  const frames = text.split('\n\n').filter((frame) => frame.startsWith('data: '));
  // A stream that the death cut short acknowledges nothing.
  if (frames.pop() !== 'data: [DONE]') throw new Error('the stream ended early');
  const chunks = frames.map((frame) => JSON.parse(frame.slice(6)) as { id: string; choices: Choice[] }); // likewise
  return {
    id: chunks[0]?.id ?? '',
    content: chunks.map((chunk) => chunk.choices[0]?.delta?.content ?? '').join(''),
  };
}

async function rate(
  client: GatewayClient,
  ledger: Ledger,
  { session, key, id, value }: { session: string; key: string; id: string; value: number | null },
  rejected: (problem: string) => void,
): Promise<void> {
  ledger.rating(session, id, value);
  const { status, text } =
    value === null
      ? await client.call('DELETE', `/rl/interactions/${id}/reward`, ADMIN_KEY)
      : await client.call('POST', '/rl/set_reward', key, { reward: value, interaction_id: id });
  if (status !== 200) rejected(`rating of ${id} in an open session: ${status} ${text}`);
  ledger.rated(session, id, value, status === 200);
}
