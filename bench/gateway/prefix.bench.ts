import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { openModelFolder } from '../../src/gateway/platform/model-files';
import { loadChatTokenizer } from '../../src/gateway/tokenizer/huggingface-tokenizer';
import type { ChatMessage } from '../../src/shared/domain/interaction';

/**
 * What a turn's prompt costs late in a long session, against early in it: rendered and tokenized from nothing, and
 * with the earlier turns of the session in the cache.
 */
const TURNS = [10, 50, 200];
const REPEATS = 15;

const tokenizer = loadChatTokenizer(openModelFolder(join('assets', 'demo-model')));
let conversations = 0;

function conversationOf(turns: number): ChatMessage[] {
  const messages: ChatMessage[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    if (turn > 0)
      messages.push({
        role: 'assistant',
        content: `The sum is ${turn * 8}. First the ones, then the tens. `.repeat(4),
      });
    messages.push({
      role: 'user',
      content: `What is ${turn} + ${turn * 7}? Show the steps, and say why it is so. `.repeat(4),
    });
  }
  return messages;
}

/** ms of the turn's prompt when the session's turns before it were rendered already */
function costOfTurn(
  turn: number,
  isCached: boolean,
): { readonly ms: number; readonly tokens: number; readonly fresh: number } {
  conversations += 1;
  const options = {
    tools: [],
    templateValues: {},
    limitTokens: 1e9,
    conversation: isCached ? `c${conversations}` : null,
  };
  if (isCached) tokenizer.renderPrompt(conversationOf(turn - 1), options);
  const messages = conversationOf(turn);
  const startedAt = performance.now();
  const rendered = tokenizer.renderPrompt(messages, options);
  const ms = performance.now() - startedAt;
  if (!rendered.ok) throw new Error(rendered.error.kind);
  return { ms, tokens: rendered.value.ids.length, fresh: rendered.value.ids.length - rendered.value.cachedTokens };
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[values.length >> 1] ?? Number.NaN;
}

console.log(`${cpus()[0]?.model ?? '?'} × ${cpus().length}, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`);
for (const isCached of [false, true]) {
  costOfTurn(20, isCached);
  const medians = TURNS.map((turn) => {
    const costs = Array.from({ length: REPEATS }, () => costOfTurn(turn, isCached));
    const ms = median(costs.map((cost) => cost.ms));
    const { tokens, fresh } = costs[0] ?? { tokens: 0, fresh: 0 };
    console.log(
      `${isCached ? 'cached' : 'from nothing'}, turn ${String(turn).padStart(3)}: ${ms.toFixed(2)} ms for ${tokens} tokens, ${fresh} of them new`,
    );
    return ms;
  });
  console.log(
    `  turn ${TURNS.at(-1)} costs ${((medians.at(-1) ?? 0) / (medians[0] ?? 1)).toFixed(1)} times turn ${TURNS[0]}`,
  );
}
