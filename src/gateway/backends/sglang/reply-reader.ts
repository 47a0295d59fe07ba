import { err, ok, type Result } from '../../../shared/lib/result';
import { type GenerateReply, generateReplySchema } from '../../../shared/wire/generate';
import type { TokenDelta } from '../backend';

/** How one engine call ended, as far as its reply says. */
export type CallEnding =
  | { readonly kind: 'finished'; readonly finishReason: 'stop' | 'length'; readonly matched: number | string | null }
  /** a deliberate interruption, for instance by a weight update: keep the tokens and resubmit */
  | { readonly kind: 'interrupted' }
  /** the engine could not go on; `status` is HTTP's, also when it came inside a stream */
  | { readonly kind: 'refused'; readonly status: number; readonly message: string };

/** What one event of the stream adds. */
export interface ReplyStep {
  readonly delta: TokenDelta | null;
  readonly ending: CallEnding | null;
}

/**
 * Reads the events of one streamed `/generate` call and yields what is new in each.
 *
 * Engines stream cumulatively (everything so far in every event) or incrementally; which one it is shows in
 * `completion_tokens`, so no setting has to be trusted. Ids are taken from the log-prob tuples, which name them, and must
 * agree with `output_ids`: a token whose evidence is in doubt is never handed on.
 */
export class ReplyReader {
  /** of the tokens seen; runs, because the engine names the versions of all tokens with every new one */
  readonly #runs: [version: number, length: number][] = [];
  #seen = 0;

  /** @returns an error sentence when the evidence does not add up */
  read(data: string): Result<ReplyStep, string> {
    const value = parseJson(data);
    const refused = readRefusal(value);
    if (refused !== null) return ok({ delta: null, ending: refused });
    const parsed = generateReplySchema.safeParse(value);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      return err(`The engine's reply has an unexpected form: ${issue?.path.join('.')}: ${issue?.message}.`);
    }
    const delta = this.#takeNew(parsed.data);
    if (!delta.ok) return delta;
    return ok({ delta: delta.value.tokenIds.length === 0 ? null : delta.value, ending: toEnding(parsed.data) });
  }

  #takeNew(reply: GenerateReply): Result<TokenDelta, string> {
    const seen = this.#seen;
    const tuples = reply.meta_info.output_token_logprobs ?? [];
    const total = reply.meta_info.completion_tokens ?? seen + tuples.length;
    const isIncremental = seen + tuples.length === total;
    if (!isIncremental && tuples.length !== total)
      return err(`The engine counts ${total} tokens but sent ${tuples.length} log-probs after ${seen}.`);
    const mismatch = findMismatch(reply);
    if (mismatch !== null) return err(mismatch);
    const fresh = isIncremental ? tuples : tuples.slice(seen);
    const top = reply.meta_info.output_top_logprobs ?? null;
    if (top !== null && top.length !== tuples.length)
      return err(`The engine sent alternatives for ${top.length} of ${tuples.length} tokens.`);
    const versions = this.#newVersions(reply, total);
    if (!versions.ok) return versions;
    this.#note(versions.value);
    return ok({
      tokenIds: fresh.map(([, id]) => id),
      logprobs: fresh.map(([logprob]) => logprob),
      versions: versions.value,
      ...(top === null ? {} : { topLogprobs: (isIncremental ? top : top.slice(seen)).map(toAlternatives) }),
    });
  }

  /** Versions of the tokens behind those seen: spans where the engine gives them, else its version at each event. */
  #newVersions(reply: GenerateReply, total: number): Result<number[], string> {
    const spans = reply.meta_info.weight_versions;
    if (spans === undefined || spans.length === 0) {
      if (total === this.#seen) return ok([]);
      const version = parseWeightVersion(reply.meta_info.weight_version);
      if (version === null) return err(unknownVersion(reply.meta_info.weight_version));
      return ok(new Array<number>(total - this.#seen).fill(version));
    }
    const versions: number[] = [];
    let told = 0;
    let changed: string | null = null;
    for (const span of spans) {
      const version = parseWeightVersion(span.version);
      if (version === null) return err(unknownVersion(span.version));
      if (span.start !== told) return err('The engine sent version spans with a gap.');
      changed ??= this.#findChange(span, version);
      const end = Math.min(span.end, total);
      for (let index = Math.max(span.start, this.#seen); index < end; index += 1) versions.push(version);
      told = Math.max(told, span.end);
    }
    if (told < total) return err(`The engine sent versions for ${told} of ${total} tokens.`);
    return changed === null ? ok(versions) : err(changed);
  }

  /** Whether the engine says now that another version sampled tokens it has sent before. */
  #findChange({ start, end }: { readonly start: number; readonly end: number }, version: number): string | null {
    let from = 0;
    for (const [known, length] of this.#runs) {
      const first = Math.max(from, start);
      if (known !== version && first < Math.min(from + length, end))
        return `The engine first said version ${known} for token ${first}, then ${version}.`;
      from += length;
    }
    return null;
  }

  #note(versions: readonly number[]): void {
    this.#seen += versions.length;
    for (const version of versions) {
      const last = this.#runs[this.#runs.length - 1];
      if (last?.[0] === version) last[1] += 1;
      else this.#runs.push([version, 1]);
    }
  }
}

function toAlternatives(
  tuples: NonNullable<GenerateReply['meta_info']['output_top_logprobs']>[number],
): { readonly tokenId: number; readonly logprob: number }[] {
  return (tuples ?? []).map(([logprob, tokenId]) => ({ tokenId, logprob }));
}

/** Plaudit's versions are whole numbers; any other label (SGLang's `default`) names no version we know. */
export function parseWeightVersion(label: string | null | undefined): number | null {
  return typeof label === 'string' && /^\d{1,15}$/.test(label) ? Number(label) : null;
}

/** Text of an engine's error body, whichever of its forms it has. */
export function readErrorMessage(value: unknown): string | null {
  const error = field(value, 'error');
  const message = typeof error === 'string' ? error : (field(error, 'message') ?? field(value, 'message'));
  return typeof message === 'string' ? message : null;
}

function readRefusal(value: unknown): CallEnding | null {
  if (field(value, 'meta_info') !== undefined) return null;
  const message = readErrorMessage(value);
  if (message === null) return null;
  const code = field(field(value, 'error'), 'code') ?? field(value, 'code');
  return { kind: 'refused', status: typeof code === 'number' ? code : 400, message };
}

function toEnding({ meta_info: { finish_reason: reason } }: GenerateReply): CallEnding | null {
  switch (reason?.type) {
    case undefined:
      return null;
    case 'stop':
      return { kind: 'finished', finishReason: 'stop', matched: reason.matched ?? null };
    case 'length':
      return { kind: 'finished', finishReason: 'length', matched: null };
    case 'abort':
      return typeof reason.status_code === 'number'
        ? { kind: 'refused', status: reason.status_code, message: reason.message ?? 'aborted' }
        : { kind: 'interrupted' };
  }
}

function findMismatch(reply: GenerateReply): string | null {
  const tuples = reply.meta_info.output_token_logprobs ?? [];
  if (reply.output_ids.length !== tuples.length) {
    // Known: an abort from the queue repeats only the last id beside the full list of log-probs.
    if (reply.meta_info.finish_reason?.type === 'abort') return null;
    return `The engine sent ${reply.output_ids.length} token ids but ${tuples.length} log-probs.`;
  }
  const at = tuples.findIndex(([, id], index) => id !== reply.output_ids[index]);
  return at < 0
    ? null
    : `The engine names token ${reply.output_ids[at]} and log-prob of token ${tuples[at]?.[1]} at one place.`;
}

function unknownVersion(label: string | null | undefined): string {
  return `The engine says that weight version '${label ?? 'none'}' answered. Start it with --weight-version and the number of its weights.`;
}

/** undefined when the text is not JSON, which no schema accepts. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined; // an object has fields
}
