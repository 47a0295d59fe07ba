import type { TokenLogprob } from '../../shared/domain/answer';
import type { TokenDelta } from '../backends/backend';
import type { ChatTokenizer } from '../tokenizer/chat-tokenizer';

/**
 * Log-probs of one answer as clients read them; end tokens are no part of the text and left out.
 *
 * Text and bytes of a character that several tokens make up stand at the last of them, so that the bytes of all tokens
 * together are the text.
 */
export class TokenLogprobs {
  #pending: TokenLogprob[] = [];

  constructor(
    private readonly tokenizer: ChatTokenizer,
    /** alternatives per token */
    private readonly alternatives: number,
  ) {}

  /** @param text - what this token added to the answer's text */
  add(text: string, delta: TokenDelta, index: number): void {
    const top = delta.topLogprobs?.[index]?.slice(0, this.alternatives) ?? [];
    const texts = this.alternatives === 0 ? [] : top.map(({ tokenId }) => this.tokenizer.describeTokens([tokenId])[0]);
    this.#pending.push({
      ...described(text, delta.logprobs[index] ?? 0),
      top: top.slice(0, texts.length).map(({ logprob }, rank) => described(texts[rank] ?? '', logprob)),
    });
  }

  /** Those of the tokens that came since the last call. */
  take(): readonly TokenLogprob[] {
    const taken = this.#pending;
    this.#pending = [];
    return taken;
  }
}

const encoder = new TextEncoder();

function described(token: string, logprob: number): Omit<TokenLogprob, 'top'> {
  return { token, bytes: [...encoder.encode(token)], logprob };
}
