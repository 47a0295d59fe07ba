import type { Dialect, ToolDefinition } from '../../shared/domain/chat-call';
import { type InteractionId, interactionId, type SessionId, sessionId } from '../../shared/domain/ids';
import type { ChatMessage, FinishReason, Interaction, InteractionState } from '../../shared/domain/interaction';
import type { Database } from './database';
import { decodeFloats, decodeIntegers, encodeFloats, encodeIntegers } from './token-blobs';

/** What is known when a request is admitted; the row is committed before the engine is asked. */
export interface RunningInteraction {
  readonly id: InteractionId;
  readonly sessionId: SessionId;
  readonly parentId: InteractionId | null;
  readonly messages: readonly ChatMessage[];
  readonly promptTokenIds: readonly number[];
  readonly temperature: number;
  readonly distorted: boolean;
  readonly createdAt: number;
  /** default: `chat` */
  readonly dialect?: Dialect;
  /** which of the n completions of its request; default: 0 */
  readonly choice?: number;
  /** equal for equal requests of one session */
  readonly requestKey?: string | null;
  readonly idempotencyKey?: string | null;
  readonly tools?: readonly ToolDefinition[];
  readonly metadata?: Readonly<Record<string, string>> | null;
}

/** A stored request: the rows of its n completions, in the order of the choices. */
export interface StoredRequest {
  readonly requestKey: string | null;
  readonly choices: readonly Interaction[];
}

/** Tokens of an answer, exactly as sampled: three arrays of one length. */
export interface SampledOutput {
  readonly tokenIds: readonly number[];
  readonly logprobs: readonly number[];
  readonly versions: readonly number[];
}

/** The `interactions` table. A row is written once when it starts and once when it ends, and never removed. */
export class InteractionStore {
  /** Sessions that may have an answer that nobody got: few, and every request asks. */
  readonly #undelivered: Set<string>;

  constructor(private readonly database: Database) {
    const rows = database.all<{ session_id: string }>(UNDELIVERED_SQL);
    this.#undelivered = new Set(rows.map(({ session_id }) => session_id));
  }

  /** Gives it the next ordinal of its session: rows are numbered from 0 in arrival order. */
  insertRunning(interaction: RunningInteraction): void {
    this.database.run(
      `INSERT INTO interactions (interaction_id, session_id, ordinal, parent_id, state, messages, prompt_token_ids,
         temperature, distorted, created_at, dialect, choice, request_key, idempotency_key, tools, metadata)
       VALUES (?, ?, COALESCE((SELECT MAX(ordinal) + 1 FROM interactions WHERE session_id = ?), 0),
         ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        interaction.id,
        interaction.sessionId,
        interaction.sessionId,
        interaction.parentId,
        JSON.stringify(interaction.messages),
        encodeIntegers(interaction.promptTokenIds),
        interaction.temperature,
        interaction.distorted ? 1 : 0,
        interaction.createdAt,
        interaction.dialect ?? 'chat',
        interaction.choice ?? 0,
        interaction.requestKey ?? null,
        interaction.idempotencyKey ?? null,
        (interaction.tools ?? []).length === 0 ? null : JSON.stringify(interaction.tools),
        (interaction.metadata ?? null) === null ? null : JSON.stringify(interaction.metadata),
      ],
    );
  }

  /** @throws when the row is not running: an answer is stored once */
  finish(
    id: InteractionId,
    answer: {
      readonly outputMessage: ChatMessage;
      readonly output: SampledOutput;
      readonly finishReason: FinishReason;
      readonly finishedAt: number;
      /** why its evidence must not be trained on; default: sound */
      readonly untrainable?: string | null;
      /** nobody was there to hear the end; default: somebody was */
      readonly isUndelivered?: boolean;
    },
  ): void {
    const outcome = this.database.run(
      `UPDATE interactions SET state = 'finished', output_message = ?, output_token_ids = ?, output_logprobs = ?,
         output_versions = ?, finish_reason = ?, finished_at = ?, untrainable = ?, undelivered = ?
       WHERE interaction_id = ? AND state = 'running'`,
      [
        JSON.stringify(answer.outputMessage),
        ...blobs(answer.output),
        answer.finishReason,
        answer.finishedAt,
        answer.untrainable ?? null,
        answer.isUndelivered === true ? 1 : 0,
        id,
      ],
    );
    if (outcome.changes !== 1) throw new Error(`interaction ${id} is not running and cannot be finished`);
    if (answer.isUndelivered === true) this.#noteUndelivered([id]);
  }

  /** Keeps what was sampled as evidence, but the row can never be trained or rated. */
  fail(
    id: InteractionId,
    failure: { readonly error: string; readonly output: SampledOutput; readonly at: number },
  ): void {
    this.database.run(
      `UPDATE interactions SET state = 'failed', error = ?, output_token_ids = ?, output_logprobs = ?, output_versions = ?,
         finished_at = ? WHERE interaction_id = ? AND state = 'running'`,
      [failure.error, ...blobs(failure.output), failure.at, id],
    );
  }

  /** At start-up: whatever still says running died with the last process. @returns how many there were */
  markInterrupted(at: number): number {
    return this.database.run(
      `UPDATE interactions SET state = 'interrupted', finished_at = ?, error = 'the gateway stopped while this was running'
       WHERE state = 'running'`,
      [at],
    ).changes;
  }

  find(id: InteractionId): Interaction | null {
    const row = this.database.get<InteractionRow>('SELECT * FROM interactions WHERE interaction_id = ?', [id]);
    return row === undefined ? null : toInteraction(row);
  }

  /** Arrival order. */
  listOfSession(id: SessionId): Interaction[] {
    return this.database
      .all<InteractionRow>('SELECT * FROM interactions WHERE session_id = ? ORDER BY ordinal', [id])
      .map(toInteraction);
  }

  /** The finished interaction of the session that arrived last. */
  findLastFinished(id: SessionId): InteractionId | null {
    const row = this.database.get<{ interaction_id: string }>(
      "SELECT interaction_id FROM interactions WHERE session_id = ? AND state = 'finished' ORDER BY ordinal DESC LIMIT 1",
      [id],
    );
    return row === undefined ? null : interactionId(row.interaction_id);
  }

  /** Whether the client got the end of the answer, as far as we can know. */
  markDelivery(ids: readonly InteractionId[], isDelivered: boolean): void {
    this.database.run(
      'UPDATE interactions SET undelivered = ? WHERE interaction_id IN (SELECT value FROM json_each(?))',
      [isDelivered ? 0 : 1, JSON.stringify(ids)],
    );
    if (!isDelivered) this.#noteUndelivered(ids);
  }

  /**
   * The unrated rows of an earlier equal request become orphans of the one that was sampled instead.
   *
   * @param retry - id of choice 0 of the new request
   */
  markReplaced(ids: readonly InteractionId[], retry: InteractionId): void {
    this.database.run(
      `UPDATE interactions SET replaced_by = ?, undelivered = 1
       WHERE interaction_id IN (SELECT value FROM json_each(?)) AND replaced_by IS NULL
         AND interaction_id NOT IN (SELECT interaction_id FROM rewards)`,
      [retry, JSON.stringify(ids)],
    );
    this.#noteUndelivered(ids);
  }

  /** Somebody saw and judged it: it is no orphan of a retry any more. */
  unmarkReplaced(id: InteractionId): void {
    this.database.run(
      'UPDATE interactions SET replaced_by = NULL WHERE interaction_id = ? AND replaced_by IS NOT NULL',
      [id],
    );
  }

  /** The newest request of the session with this `Idempotency-Key`. */
  findByIdempotencyKey(id: SessionId, idempotencyKey: string): StoredRequest | null {
    return this.#findRequest('session_id = ? AND idempotency_key = ?', [id, idempotencyKey]);
  }

  /** Whether the session may have answers whose client went away before the end. Not for ever right when it says yes. */
  mayHaveUndelivered(id: SessionId): boolean {
    return this.#undelivered.has(id);
  }

  /** The session is over: nobody asks any more. */
  forgetSession(id: SessionId): void {
    this.#undelivered.delete(id);
  }

  /** The newest equal request of the session whose client went away before the end, and that was not replaced. */
  findUndelivered(id: SessionId, requestKey: string): StoredRequest | null {
    return this.#findRequest(
      'session_id = ? AND request_key = ? AND idempotency_key IS NULL AND undelivered = 1 AND replaced_by IS NULL',
      [id, requestKey],
    );
  }

  /** What conversations of the session are finished, in arrival order. */
  listConversations(
    id: SessionId,
  ): { readonly id: InteractionId; readonly messages: readonly ChatMessage[]; readonly output: ChatMessage }[] {
    return this.database
      .all<{ interaction_id: string; messages: string; output_message: string }>(
        `SELECT interaction_id, messages, output_message FROM interactions
         WHERE session_id = ? AND state = 'finished' ORDER BY ordinal`,
        [id],
      )
      .map((row) => ({
        id: interactionId(row.interaction_id),
        messages: JSON.parse(row.messages) as ChatMessage[], // written by insertRunning only
        output: JSON.parse(row.output_message) as ChatMessage, // by finish only
      }));
  }

  countOfSession(id: SessionId): number {
    return (
      this.database.get<{ n: number }>('SELECT COUNT(*) AS n FROM interactions WHERE session_id = ?', [id])?.n ?? 0
    );
  }

  #noteUndelivered(ids: readonly InteractionId[]): void {
    const rows = this.database.all<{ session_id: string }>(
      'SELECT DISTINCT session_id FROM interactions WHERE interaction_id IN (SELECT value FROM json_each(?))',
      [JSON.stringify(ids)],
    );
    for (const { session_id } of rows) this.#undelivered.add(session_id);
  }

  #findRequest(condition: string, values: readonly (string | number)[]): StoredRequest | null {
    // Choices of one request are admitted together: their ordinals follow one another. The plus keeps SQLite from walking
    // the session's rows by ordinal, which would read every long prompt of it.
    const last = this.database.get<{ session_id: string; ordinal: number; choice: number }>(
      `SELECT session_id, ordinal, choice FROM interactions WHERE ${condition} ORDER BY +ordinal DESC LIMIT 1`,
      values,
    );
    if (last === undefined) return null;
    const first = last.ordinal - last.choice;
    const rows = this.database.all<InteractionRow>(
      'SELECT * FROM interactions WHERE session_id = ? AND ordinal >= ? AND ordinal - choice = ? ORDER BY ordinal',
      [last.session_id, first, first],
    );
    return { requestKey: rows[0]?.request_key ?? null, choices: rows.map(toInteraction) };
  }
}

const UNDELIVERED_SQL = `SELECT DISTINCT i.session_id FROM interactions i JOIN sessions s USING (session_id)
WHERE i.undelivered = 1 AND s.state = 'open'`;

interface InteractionRow {
  readonly interaction_id: string;
  readonly session_id: string;
  readonly ordinal: number;
  readonly parent_id: string | null;
  readonly state: InteractionState;
  readonly messages: string;
  readonly output_message: string | null;
  readonly prompt_token_ids: Uint8Array;
  readonly output_token_ids: Uint8Array | null;
  readonly output_logprobs: Uint8Array | null;
  readonly output_versions: Uint8Array | null;
  readonly finish_reason: FinishReason | null;
  readonly temperature: number;
  readonly distorted: number;
  readonly created_at: number;
  readonly finished_at: number | null;
  readonly error: string | null;
  readonly choice: number;
  readonly request_key: string | null;
  readonly untrainable: string | null;
  readonly undelivered: number;
  readonly replaced_by: string | null;
}

function blobs(output: SampledOutput): Uint8Array[] {
  return [encodeIntegers(output.tokenIds), encodeFloats(output.logprobs), encodeIntegers(output.versions)];
}

function toInteraction(row: InteractionRow): Interaction {
  return {
    id: interactionId(row.interaction_id),
    sessionId: sessionId(row.session_id),
    ordinal: row.ordinal,
    parentId: row.parent_id === null ? null : interactionId(row.parent_id),
    state: row.state,
    messages: JSON.parse(row.messages) as ChatMessage[], // written by insertRunning only
    outputMessage: row.output_message === null ? null : (JSON.parse(row.output_message) as ChatMessage), // by finish only
    promptTokenIds: decodeIntegers(row.prompt_token_ids),
    outputTokenIds: decodeIntegers(row.output_token_ids),
    outputLogprobs: decodeFloats(row.output_logprobs),
    outputVersions: decodeIntegers(row.output_versions),
    finishReason: row.finish_reason,
    temperature: row.temperature,
    distorted: row.distorted === 1,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    error: row.error,
    choice: row.choice,
    untrainable: row.untrainable,
    isUndelivered: row.undelivered === 1,
    replacedBy: row.replaced_by === null ? null : interactionId(row.replaced_by),
  };
}
