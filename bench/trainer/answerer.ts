import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { EVALUATION_SET } from '../../src/embedded/world/evaluation-set';
import { judge } from '../../src/embedded/world/judge';
import type { Question } from '../../src/embedded/world/question';
import { post, startEngine } from './programs';

export interface Answer {
  readonly question: Question;
  readonly promptIds: readonly number[];
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
  readonly text: string;
  readonly version: number;
}

const MAX_NEW_TOKENS = 32;

/** A real engine with the model's tokenizer in front: answers questions of the small world. */
export class Answerer {
  private constructor(
    private readonly engine: { readonly child: ChildProcess; readonly url: string },
    private readonly tokenizer: Tokenizer,
  ) {}

  static async start(model: string, program: string): Promise<Answerer> {
    const json = async (name: string) => JSON.parse(await readFile(join(model, name), 'utf8'));
    const tokenizer = new Tokenizer(await json('tokenizer.json'), await json('tokenizer_config.json'));
    return new Answerer(await startEngine(program, model), tokenizer);
  }

  async answer(question: Question, seed: number): Promise<Answer> {
    const prompt = `<|im_start|>user\n${question.text}<|im_end|>\n<|im_start|>assistant\n`;
    const promptIds = this.tokenizer.encode(prompt, { add_special_tokens: false }).ids;
    const reply = (await post(`${this.engine.url}/generate`, {
      input_ids: promptIds,
      sampling_params: { temperature: 1, max_new_tokens: MAX_NEW_TOKENS, sampling_seed: seed },
      return_logprob: true,
    })) as {
      text: string;
      meta_info: { output_token_logprobs: [number, number, null][]; weight_version: string };
    };
    const pairs = reply.meta_info.output_token_logprobs;
    return {
      question,
      promptIds,
      ids: pairs.map(([, id]) => id),
      logprobs: pairs.map(([logprob]) => logprob),
      text: reply.text,
      version: Number(reply.meta_info.weight_version),
    };
  }

  /** Every question of the evaluation set `times` times, always with the same seeds; what the judge says of each answer. */
  async evaluate(times: number) {
    const questions = Array.from({ length: times }, () => EVALUATION_SET).flat();
    const answers = await Promise.all(questions.map((question, i) => this.answer(question, 5000 + i)));
    return answers.map((answer) => ({ answer, verdict: judge(answer.question, answer.text) }));
  }

  async serve(path: string, version: number): Promise<void> {
    const body = { model_path: path, weight_version: String(version), flush_cache: true };
    await post(`${this.engine.url}/update_weights_from_disk`, body);
  }

  stop(): void {
    this.engine.child.kill('SIGTERM');
  }
}

/** Mean reward of an evaluation. */
export function meanReward(evaluation: Awaited<ReturnType<Answerer['evaluate']>>): number {
  return evaluation.reduce((sum, { verdict }) => sum + verdict.reward, 0) / evaluation.length;
}
