import { type ChatCompletion, chatCompletionSchema } from '../../src/shared/wire/openai-chat';
import {
  type Status,
  startSessionReplySchema,
  statusSchema,
  type TrainingMetrics,
  trainingMetricsSchema,
  type Versions,
  versionsSchema,
} from '../../src/shared/wire/rl';

export interface Answer {
  readonly interactionId: string;
  readonly text: string;
  /** smallest version among its tokens; null for an empty answer */
  readonly headVersion: number | null;
}

const MAX_TOKENS = 48;

/** What a rating script does over HTTP: the AReaL protocol, one question per session. */
export class PlauditClient {
  readonly #url: string;
  readonly #adminKey: string;

  constructor(url: string, adminKey: string) {
    this.#url = url.replace(/\/$/, '');
    this.#adminKey = adminKey;
  }

  /**
   * Asks in a session of its own and ends it. With `rate` the answer is rated before; a session without a rating is
   * never trained.
   */
  async ask(taskId: string, prompt: string, rate?: (text: string) => number): Promise<Answer> {
    const session = startSessionReplySchema.parse(
      await this.#post('/rl/start_session', this.#adminKey, { task_id: taskId }),
    );
    const completion = chatCompletionSchema.parse(
      await this.#post('/chat/completions', session.api_key, {
        model: 'default',
        messages: [{ role: 'user', content: prompt }],
        temperature: 1,
        max_tokens: MAX_TOKENS,
      }),
    );
    const answer = toAnswer(completion);
    if (rate !== undefined) {
      const reward = rate(answer.text);
      await this.#post('/rl/set_reward', session.api_key, { reward, interaction_id: answer.interactionId });
    }
    await this.#post('/rl/end_session', session.api_key, {});
    return answer;
  }

  async status(): Promise<Status> {
    return statusSchema.parse(await this.#get('/rl/status'));
  }

  async versions(): Promise<Versions> {
    return versionsSchema.parse(await this.#get('/rl/versions'));
  }

  async trainingMetrics(): Promise<TrainingMetrics> {
    return trainingMetricsSchema.parse(await this.#get('/rl/training_metrics'));
  }

  /** Resolves once weights are served. */
  async untilServing(deadlineMs = 120_000): Promise<Status> {
    return this.until((status) => status.engine.state === 'serving', deadlineMs, 'the engine to serve');
  }

  async until(
    isReached: (status: Status) => boolean | Promise<boolean>,
    deadlineMs: number,
    what: string,
  ): Promise<Status> {
    const deadline = Date.now() + deadlineMs;
    for (;;) {
      const status = await this.status();
      if (await isReached(status)) return status;
      if (Date.now() > deadline) throw new Error(`waited ${deadlineMs} ms for ${what}: ${JSON.stringify(status)}`);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }

  #get(path: string): Promise<unknown> {
    return this.#request(path, { headers: { authorization: `Bearer ${this.#adminKey}` } });
  }

  #post(path: string, key: string, body: object): Promise<unknown> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return this.#request(path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  async #request(path: string, init: RequestInit): Promise<unknown> {
    const response = await fetch(this.#url + path, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${init.method ?? 'GET'} ${path} → ${response.status} ${text}`);
    return JSON.parse(text);
  }
}

function toAnswer(completion: ChatCompletion): Answer {
  const versions = completion.plaudit.version_rle.map(([version]) => version);
  return {
    interactionId: completion.id,
    text: completion.choices[0]?.message.content ?? '',
    headVersion: versions.length === 0 ? null : Math.min(...versions),
  };
}
