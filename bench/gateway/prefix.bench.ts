import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { type ModelFolder, openModelFolder } from '../../src/gateway/platform/model-files';
import type { ChatTokenizer } from '../../src/gateway/tokenizer/chat-tokenizer';
import { loadChatTokenizer } from '../../src/gateway/tokenizer/huggingface-tokenizer';
import type { ChatMessage } from '../../src/shared/domain/interaction';

/**
 * What a turn's prompt costs late in a long session, against early in it: rendered and tokenized from nothing, and
 * with the earlier turns of the session in the cache. First for a template whose parts stand for themselves, then for one
 * that looks over all messages, as those of Qwen3 and Llama 3.1 do, and is rendered whole each time.
 */
const TURNS = [10, 50, 200];
const REPEATS = 15;

const demo = openModelFolder(join('assets', 'demo-model'));

/** Drops the thoughts of answers before the last question. */
const LOOKING_OVER_ALL = `
{%- set ns = namespace(asked=0) %}
{%- for message in messages %}{% if message.role == 'user' %}{% set ns.asked = loop.index0 %}{% endif %}{% endfor %}
{%- for message in messages %}
  {%- set content = message.content if message.content is string else '' %}
  {%- if message.role == 'assistant' and '</think>' in content and loop.index0 < ns.asked %}
    {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
  {%- endif %}
  {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;

function withTemplate(folder: ModelFolder, template: string): ModelFolder {
  const readJson = (file: string): unknown => {
    const value = folder.readJson(file);
    return file === 'tokenizer_config.json' ? { ...(value as object), chat_template: template } : value; // an object in every model
  };
  return { ...folder, readJson };
}

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

interface Cost {
  readonly ms: number;
  readonly tokens: number;
  readonly fresh: number;
}

function costOf(tokenizer: ChatTokenizer, messages: readonly ChatMessage[], conversation: string | null): Cost {
  const startedAt = performance.now();
  const rendered = tokenizer.renderPrompt(messages, { tools: [], templateValues: {}, limitTokens: 1e9, conversation });
  const ms = performance.now() - startedAt;
  if (!rendered.ok) throw new Error(rendered.error.kind);
  return { ms, tokens: rendered.value.ids.length, fresh: rendered.value.ids.length - rendered.value.cachedTokens };
}

/** Costs of the turns measured and of their neighbours, by turn, over whole sessions. */
function costsFromNothing(tokenizer: ChatTokenizer): Map<number, Cost[]> {
  const repeated = (turn: number): Cost[] =>
    Array.from({ length: REPEATS }, () => costOf(tokenizer, conversationOf(turn), null));
  return new Map(TURNS.map((turn) => [turn, repeated(turn)]));
}

function costsInSessions(tokenizer: ChatTokenizer): Map<number, Cost[]> {
  const costs = new Map<number, Cost[]>(TURNS.map((turn) => [turn, []]));
  for (let session = 0; session < REPEATS / 3; session += 1) {
    for (let turn = 1; turn <= Math.max(...TURNS) + 1; turn += 1) {
      // Every request brings all messages anew, as a client's does.
      const cost = costOf(tokenizer, structuredClone(conversationOf(turn)), `session ${session}`);
      for (const target of TURNS) if (Math.abs(turn - target) <= 1) costs.get(target)?.push(cost);
    }
  }
  return costs;
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[values.length >> 1] ?? Number.NaN;
}

console.log(`${cpus()[0]?.model ?? '?'} × ${cpus().length}, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`);
for (const [kind, folder] of [
  ['parts by themselves', demo],
  ['looking over all', withTemplate(demo, LOOKING_OVER_ALL)],
] as const) {
  const tokenizer = loadChatTokenizer(folder);
  tell(`${kind}, from nothing`, costsFromNothing(tokenizer));
  tell(`${kind}, in a session`, costsInSessions(tokenizer));
}

function tell(name: string, costs: ReadonlyMap<number, readonly Cost[]>): void {
  const medians = [...costs].map(([turn, some]) => {
    const ms = median(some.map((cost) => cost.ms));
    const least = Math.min(...some.map((cost) => cost.ms));
    const { tokens, fresh } = some.at(-1) ?? { tokens: 0, fresh: 0 };
    console.log(
      `${name}, turn ${String(turn).padStart(3)}: p50 ${ms.toFixed(2)} ms (least ${least.toFixed(2)}) for ${tokens} tokens, ${fresh} of them new`,
    );
    return ms;
  });
  console.log(
    `  turn ${TURNS.at(-1)} costs ${((medians.at(-1) ?? 0) / (medians[0] ?? 1)).toFixed(1)} times turn ${TURNS[0]}`,
  );
}
