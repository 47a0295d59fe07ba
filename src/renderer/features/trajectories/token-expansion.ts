import type { Segment, TrajectoryRecord } from '../../../shared/wire/trajectory-record';
import { runTokens } from '../../components/version-strip-runs';

/** One sampled token as the detail pane shows it; `position` counts output tokens from 1. */
export interface TokenPiece {
  readonly position: number;
  readonly text: string;
  readonly version: number;
  readonly tokenId: number | null;
  readonly logprob: number | null;
}

/** A part of the trajectory in reading order. `tokens` is null where the tint would not be token-exact. */
export interface TextBlock {
  readonly role: Segment['role'];
  readonly length: number;
  readonly text: string;
  readonly tokens: readonly TokenPiece[] | null;
}

export type TintOff = 'no-token-texts' | 'length-mismatch' | 'segment-mismatch';

export interface ExpandedText {
  readonly blocks: readonly TextBlock[];
  /** why no token is tinted; null when the tint is exact */
  readonly tintOff: TintOff | null;
  /** the token texts, joined, are not the completion text (a tokenizer that decodes bytes apart) */
  readonly textDiffers: boolean;
}

/**
 * Lays a record out as blocks of prompt, generated and context text, the generated ones token by token where the dump
 * knows the text and the version of each token. Nothing is guessed: lengths that disagree turn the tint off.
 */
export function expandText(record: TrajectoryRecord): ExpandedText {
  const segments = segmentsOf(record);
  const pieces = pieceTokens(record, segments);
  if (typeof pieces === 'string') {
    return {
      blocks: segments.map(({ role, len, text }) => block(role, len, text, null)),
      tintOff: pieces,
      textDiffers: false,
    };
  }
  let used = 0;
  let textDiffers = false;
  const blocks = segments.map(({ role, len, text }) => {
    if (role !== 'gen') return block(role, len, text, null);
    const tokens = pieces.slice(used, used + len);
    used += len;
    if (tokens.map((token) => token.text).join('') !== text) textDiffers = true;
    return block(role, len, text, tokens);
  });
  return { blocks, tintOff: null, textDiffers };
}

const block = (role: Segment['role'], length: number, text: string, tokens: TextBlock['tokens']): TextBlock => ({
  role,
  length,
  text,
  tokens,
});

/** Dumps list segments only when there are two or more generated spans; a plain row is prompt, then completion. */
function segmentsOf(record: TrajectoryRecord): readonly Segment[] {
  if (record.segments !== undefined && record.segments.length > 0) return record.segments;
  const generated =
    record.version_rle === undefined ? record.seqlen - record.prompt_len : runTokens(record.version_rle);
  return [
    { role: 'prompt', len: record.prompt_len, text: record.prompt },
    { role: 'gen', len: Math.max(generated, 0), text: record.completion },
  ];
}

function pieceTokens(record: TrajectoryRecord, segments: readonly Segment[]): readonly TokenPiece[] | TintOff {
  const texts = record.output_token_texts;
  if (texts === undefined || record.version_rle === undefined) return 'no-token-texts';
  if (texts.length !== runTokens(record.version_rle)) return 'length-mismatch';
  const generated = segments.filter(({ role }) => role === 'gen').reduce((sum, { len }) => sum + len, 0);
  if (generated !== texts.length) return 'segment-mismatch';
  const sampled = sampledPositions(record, texts.length);
  const pieces: TokenPiece[] = [];
  for (const [version, length] of record.version_rle) {
    for (let step = 0; step < length; step += 1) {
      const index = pieces.length;
      const at = sampled?.[index];
      pieces.push({
        position: index + 1,
        // Same length as the runs, checked above.
        text: texts[index]!,
        version,
        tokenId: at === undefined ? null : (record.input_ids?.[at] ?? null),
        logprob: at === undefined ? null : (record.logprobs?.[at] ?? null),
      });
    }
  }
  return pieces;
}

/** Where the sampled tokens stand in the row's arrays; null when the mask is absent or counts another number. */
function sampledPositions(record: TrajectoryRecord, expected: number): readonly number[] | null {
  if (record.loss_mask === undefined) return null;
  const positions = record.loss_mask.flatMap((mask, index) => (mask === 1 ? [index] : []));
  return positions.length === expected ? positions : null;
}
