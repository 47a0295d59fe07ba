import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LlamaConfig, writeLlamaConfig } from '../../src/embedded/model/llama-config';
import { sampleConversation } from '../../src/embedded/world/conversation';
import { seededRandom } from '../../src/embedded/world/random';
import { tokenizerJson, trainBpe } from './bpe';

export const END_OF_TEXT = '<|endoftext|>';
export const IM_START = '<|im_start|>';
export const IM_END = '<|im_end|>';
export const SPECIALS = [END_OF_TEXT, IM_START, IM_END] as const;

export const VOCAB_SIZE = 768;

export const DEMO_CONFIG: LlamaConfig = {
  vocabSize: VOCAB_SIZE,
  hiddenSize: 128,
  layers: 4,
  heads: 4,
  kvHeads: 4,
  headSize: 32,
  intermediateSize: 352,
  maxPositions: 256,
  ropeTheta: 10_000,
  rmsEps: 1e-5,
  tiedEmbeddings: true,
};

/** ChatML, every role alike. */
export const CHAT_TEMPLATE =
  "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

const TOKENIZER_SEED = 7;
const TOKENIZER_CONVERSATIONS = 20_000;

export function buildTokenizer(): { readonly tokenizer: object; readonly tokenizerConfig: object } {
  return {
    tokenizer: tokenizerJson(trainBpe(corpusTexts(), VOCAB_SIZE - SPECIALS.length), SPECIALS),
    tokenizerConfig: {
      tokenizer_class: 'PreTrainedTokenizerFast',
      model_max_length: DEMO_CONFIG.maxPositions,
      bos_token: null,
      eos_token: IM_END,
      pad_token: END_OF_TEXT,
      unk_token: null,
      additional_special_tokens: [IM_START, IM_END],
      add_bos_token: false,
      clean_up_tokenization_spaces: false,
      chat_template: CHAT_TEMPLATE,
    },
  };
}

/** Everything of an HF model folder but the weights. */
export async function writeModelFiles(folder: string): Promise<void> {
  const { tokenizer, tokenizerConfig } = buildTokenizer();
  const [padId, , eosId] = SPECIALS.map((_, i) => VOCAB_SIZE - SPECIALS.length + i) as [number, number, number];
  const files: Record<string, object> = {
    'config.json': writeLlamaConfig(DEMO_CONFIG, { eosId, padId }),
    'generation_config.json': {
      bos_token_id: null,
      eos_token_id: [eosId, padId],
      pad_token_id: padId,
      do_sample: true,
      temperature: 1,
      top_p: 1,
      max_new_tokens: 64,
    },
    'tokenizer.json': tokenizer,
    'tokenizer_config.json': tokenizerConfig,
    'special_tokens_map.json': {
      eos_token: IM_END,
      pad_token: END_OF_TEXT,
      additional_special_tokens: [IM_START, IM_END],
    },
  };
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const text = name === 'tokenizer.json' ? JSON.stringify(content) : JSON.stringify(content, null, 2);
    await writeFile(join(folder, name), `${text}\n`);
  }
}

function* corpusTexts(): Generator<string> {
  const random = seededRandom(TOKENIZER_SEED);
  for (let i = 0; i < TOKENIZER_CONVERSATIONS; i++) {
    for (const { role, content } of sampleConversation(random, 2)) {
      yield `${role}\n`;
      yield content;
    }
  }
}
