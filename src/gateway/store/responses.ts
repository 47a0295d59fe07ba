import type { InteractionId, SessionId } from '../../shared/domain/ids';
import type { ChatMessage } from '../../shared/domain/interaction';
import type { ResponseBody } from '../../shared/wire/openai-responses';
import type { Database } from './database';

/** A response that later ones may continue. */
export interface StoredResponse {
  readonly id: string;
  readonly sessionId: SessionId;
  readonly interactionId: InteractionId;
  readonly previousResponseId: string | null;
  readonly body: ResponseBody;
  /** what this response added to its conversation: its input and its output, instructions left out */
  readonly messages: readonly ChatMessage[];
  /** milliseconds since the epoch */
  readonly createdAt: number;
}

/** The `responses` table. A session sees its own responses only. */
export class ResponseStore {
  constructor(private readonly database: Database) {}

  /** Storing one again changes nothing: clients that ask twice may share an answer. */
  insert(response: StoredResponse): void {
    this.database.run(
      `INSERT OR IGNORE INTO responses
         (response_id, session_id, interaction_id, previous_response_id, body, messages, created_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      [
        response.id,
        response.sessionId,
        response.interactionId,
        response.previousResponseId,
        JSON.stringify(response.body),
        JSON.stringify(response.messages),
        response.createdAt,
      ],
    );
  }

  /** null for one that is not there, is another session's, or was deleted. */
  find(id: string, session: SessionId): ResponseBody | null {
    const row = this.database.get<{ body: string }>(
      `SELECT body FROM responses WHERE response_id = ? AND session_id = ? AND body <> ''`,
      [id, session],
    );
    return row === undefined ? null : (JSON.parse(row.body) as ResponseBody); // written by insert only
  }

  /** The conversation up to and with this response, oldest first; deleted responses still count in what follows them. */
  conversation(id: string): ChatMessage[] {
    return this.database
      .all<{ messages: string }>(CONVERSATION_SQL, [id])
      .flatMap((row) => JSON.parse(row.messages) as ChatMessage[]); // written by insert only
  }

  /** Its interaction stays, with its rating. @returns false when there was nothing to delete */
  delete(id: string, session: SessionId): boolean {
    return (
      this.database.run(`UPDATE responses SET body = '' WHERE response_id = ? AND session_id = ? AND body <> ''`, [
        id,
        session,
      ]).changes === 1
    );
  }
}

const CONVERSATION_SQL = `WITH RECURSIVE chain (response_id, depth) AS (
  SELECT ?, 0
  UNION ALL
  SELECT responses.previous_response_id, chain.depth + 1 FROM responses
    JOIN chain ON responses.response_id = chain.response_id
  WHERE responses.previous_response_id IS NOT NULL
)
SELECT responses.messages FROM chain JOIN responses ON responses.response_id = chain.response_id
ORDER BY chain.depth DESC`;
