import { type InteractionId, interactionId, type SessionId, sessionId } from '../../shared/domain/ids';
import type { ChatMessage, FinishReason, Interaction, InteractionState } from '../../shared/domain/interaction';
import type { Database } from './database';
import { decodeFloats, decodeIntegers, encodeFloats, encodeIntegers } from './token-blobs';

/** What is known when a request is admitted; the row is committed before the engine is asked. */
export interface RunningInteraction {
  readonly id: InteractionId;
  readonly sessionId: SessionId;
  readonly ordinal: number;
  readonly parentId: InteractionId | null;
  readonly messages: readonly ChatMessage[];
  readonly promptTokenIds: readonly number[];
  readonly temperature: number;
  readonly distorted: boolean;
  readonly createdAt: number;
}

/** Tokens of an answer, exactly as sampled: three arrays of one length. */
export interface SampledOutput {
  readonly tokenIds: readonly number[];
  readonly logprobs: readonly number[];
  readonly versions: readonly number[];
}

/** The `interactions` table. A row is written once when it starts and once when it ends, and never removed. */
export class InteractionStore {
  constructor(private readonly database: Database) {}

  insertRunning(interaction: RunningInteraction): void {
    this.database.run(
      `INSERT INTO interactions (interaction_id, session_id, ordinal, parent_id, state, messages, prompt_token_ids,
         temperature, distorted, created_at) VALUES (?, ?, ?, ?, 'running', ?, ?, ?, ?, ?)`,
      [
        interaction.id,
        interaction.sessionId,
        interaction.ordinal,
        interaction.parentId,
        JSON.stringify(interaction.messages),
        encodeIntegers(interaction.promptTokenIds),
        interaction.temperature,
        interaction.distorted ? 1 : 0,
        interaction.createdAt,
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
    },
  ): void {
    const outcome = this.database.run(
      `UPDATE interactions SET state = 'finished', output_message = ?, output_token_ids = ?, output_logprobs = ?,
         output_versions = ?, finish_reason = ?, finished_at = ? WHERE interaction_id = ? AND state = 'running'`,
      [JSON.stringify(answer.outputMessage), ...blobs(answer.output), answer.finishReason, answer.finishedAt, id],
    );
    if (outcome.changes !== 1) throw new Error(`interaction ${id} is not running and cannot be finished`);
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

  countOfSession(id: SessionId): number {
    return (
      this.database.get<{ n: number }>('SELECT COUNT(*) AS n FROM interactions WHERE session_id = ?', [id])?.n ?? 0
    );
  }
}

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
  };
}
