/** What the clients of a killed gateway know for certain, and what they cannot know. */
export interface RatingBelief {
  /** the value of the last acknowledged change; null = none, or withdrawn */
  confirmed: number | null;
  /** sent, but the answer never came: any of them may have become true */
  possible: (number | null)[];
}

interface SessionBelief {
  readonly key: string;
  end: 'open' | 'possible' | 'confirmed';
  /** interaction id → text the client received */
  readonly answers: Map<string, string>;
  readonly ratings: Map<string, RatingBelief>;
}

/** A rating's fate that a client has seen: it may never change again. */
export interface SeenFate {
  readonly state: string;
  readonly batch_id: number | null;
  readonly version: number | null;
  readonly reward: number;
}

/** As the gateway shows a session. */
export interface ShownSession {
  readonly session_id: string;
  readonly api_key: string;
  readonly state: string;
  readonly interactions: readonly {
    readonly interaction_id: string;
    readonly state: string;
    readonly output: string | null;
    readonly reward: number | null;
  }[];
}

/** Collects acknowledged facts and compares them with what a restarted gateway shows. */
export class Ledger {
  readonly sessions = new Map<string, SessionBelief>();
  readonly fates = new Map<string, SeenFate>();
  /** acknowledged facts of each kind, for the report */
  readonly counts = { sessions: 0, answers: 0, ratings: 0, ends: 0, fates: 0 };

  /** sessions, answers, ratings and ends acknowledged so far */
  get facts(): number {
    const { sessions, answers, ratings, ends } = this.counts;
    return sessions + answers + ratings + ends;
  }

  /** answers whose rating a batch was seen to hold; the rest of the fates were dropped, too stale for instance */
  batched(): string[] {
    return [...this.fates].filter(([, fate]) => fate.batch_id !== null).map(([id]) => id);
  }

  started(id: string, key: string): void {
    if (this.sessions.has(id)) throw new Error(`session ${id} was started twice`);
    this.sessions.set(id, { key, end: 'open', answers: new Map(), ratings: new Map() });
    this.counts.sessions += 1;
  }

  answered(session: string, interaction: string, text: string): void {
    this.#belief(session).answers.set(interaction, text);
    this.counts.answers += 1;
  }

  /** Call before the request is sent. */
  rating(session: string, interaction: string, value: number | null): void {
    const { ratings } = this.#belief(session);
    const belief = ratings.get(interaction) ?? { confirmed: null, possible: [] };
    belief.possible.push(value);
    ratings.set(interaction, belief);
  }

  /** Call when the reply came; false = it was refused because a batch holds the rating. */
  rated(session: string, interaction: string, value: number | null, isDone: boolean): void {
    const belief = this.#belief(session).ratings.get(interaction);
    if (belief === undefined) throw new Error(`nobody rated ${interaction}`);
    belief.possible = belief.possible.filter((other) => other !== value);
    if (!isDone) return;
    belief.confirmed = value;
    this.counts.ratings += 1;
  }

  ending(session: string): void {
    this.#belief(session).end = 'possible';
  }

  ended(session: string): void {
    this.#belief(session).end = 'confirmed';
    this.counts.ends += 1;
  }

  /** @returns what is wrong with a session as it is shown now, in sentences */
  checkSession(id: string, shown: ShownSession | null): string[] {
    const belief = this.#belief(id);
    if (shown === null) return [`session ${id} is gone`];
    const wrong: string[] = [];
    if (shown.api_key !== belief.key) wrong.push(`session ${id} has another key`);
    if (belief.end === 'confirmed' && shown.state !== 'ended')
      wrong.push(`session ${id} was ended and is ${shown.state}`);
    if (belief.end === 'open' && shown.state !== 'open')
      wrong.push(`session ${id} was not ended and is ${shown.state}`);
    for (const [interaction, text] of belief.answers) {
      const found = shown.interactions.filter((other) => other.interaction_id === interaction);
      if (found.length !== 1) wrong.push(`answer ${interaction} is there ${found.length} times`);
      else if (found[0]?.state !== 'finished' || found[0].output !== text) wrong.push(`answer ${interaction} changed`);
    }
    for (const { interaction_id: interaction, reward } of shown.interactions) {
      const rating = belief.ratings.get(interaction) ?? { confirmed: null, possible: [] };
      const allowed = [rating.confirmed, ...rating.possible];
      if (!allowed.includes(reward)) wrong.push(`rating of ${interaction} is ${reward}, not ${allowed.join(' or ')}`);
    }
    return wrong;
  }

  /** Takes in the receipts as shown now. @returns what contradicts earlier ones */
  checkFates(receipts: readonly (SeenFate & { readonly interaction_id: string })[]): string[] {
    const wrong: string[] = [];
    const seen = new Set<string>();
    for (const { interaction_id: id, state, batch_id, version, reward } of receipts) {
      if (seen.has(id)) wrong.push(`rating of ${id} is listed twice`);
      seen.add(id);
      const before = this.fates.get(id);
      if (before !== undefined) wrong.push(...contradictions(id, before, { state, batch_id, version, reward }));
      else if (state !== 'waiting') this.counts.fates += 1;
      if (state !== 'waiting') this.fates.set(id, { state, batch_id, version, reward });
    }
    for (const id of this.fates.keys()) if (!seen.has(id)) wrong.push(`the receipt of ${id} is gone`);
    return wrong;
  }

  #belief(session: string): SessionBelief {
    const belief = this.sessions.get(session);
    if (belief === undefined) throw new Error(`nobody started ${session}`);
    return belief;
  }
}

function contradictions(id: string, before: SeenFate, now: SeenFate): string[] {
  const wrong: string[] = [];
  if (now.batch_id !== before.batch_id)
    wrong.push(`rating of ${id} was in batch ${before.batch_id}, now ${now.batch_id}`);
  if (now.reward !== before.reward)
    wrong.push(`rating of ${id} in a batch changed from ${before.reward} to ${now.reward}`);
  if (before.state !== 'in-batch' && (now.state !== before.state || now.version !== before.version))
    wrong.push(`rating of ${id} was ${before.state} in v${before.version}, now ${now.state} in v${now.version}`);
  if (now.state === 'waiting') wrong.push(`rating of ${id} was in a batch and waits again`);
  return wrong;
}
