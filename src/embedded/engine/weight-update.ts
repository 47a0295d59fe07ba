import { resolve } from 'node:path';
import { CheckpointError, type HostParams, loadCheckpoint } from '../model/checkpoint';
import type { LlamaConfig } from '../model/llama-config';
import { tokenizerSizeOf } from './model-folder';

export type ShadowResult =
  | { readonly ok: true; readonly params: HostParams }
  | { readonly ok: false; readonly message: string };

/**
 * Reads new weights beside the served ones and checks that they could replace them: complete, finite, of the same shape and
 * with a tokenizer of the same size. Touches nothing that is served.
 */
export async function loadShadow(folder: string, served: LlamaConfig): Promise<ShadowResult> {
  const path = resolve(folder);
  try {
    const { config, params } = await loadCheckpoint(path);
    const difference = differingField(config, served);
    if (difference !== null) return { ok: false, message: difference };
    const tokens = await tokenizerSizeOf(path);
    if (tokens !== null && tokens !== served.vocabSize) {
      return { ok: false, message: `its tokenizer has ${tokens} tokens, the served model ${served.vocabSize}` };
    }
    return { ok: true, params };
  } catch (cause) {
    if (!(cause instanceof CheckpointError)) throw cause;
    const prefix = `${path}: `;
    return {
      ok: false,
      message: cause.message.startsWith(prefix) ? cause.message.slice(prefix.length) : cause.message,
    };
  }
}

function differingField(config: LlamaConfig, served: LlamaConfig): string | null {
  const differing = Object.entries(served).find(([name, value]) =>
    Object.entries(config).some(([n, v]) => n === name && v !== value),
  );
  if (differing === undefined) return null;
  const [name, value] = differing;
  const given = Object.entries(config).find(([n]) => n === name)?.[1];
  return `its ${name} is ${given}, the served model has ${value}`;
}
