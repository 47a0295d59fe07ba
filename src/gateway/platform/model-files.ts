import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Reads files of a Hugging Face model folder; absence is an answer, damage is an error. */
export interface ModelFolder {
  readonly path: string;
  readonly name: string;
  readJson(file: string): unknown;
  /** null when there is no such file */
  readJsonIfPresent(file: string): unknown;
  readTextIfPresent(file: string): string | null;
}

/** The model folder cannot be used; the message names the file and what to do. */
export class ModelFolderError extends Error {
  override readonly name = 'ModelFolderError';
}

/** @throws ModelFolderError when the folder does not exist */
export function openModelFolder(path: string): ModelFolder {
  if (!existsSync(path) || !statSync(path).isDirectory())
    throw new ModelFolderError(`The model folder ${path} does not exist. Choose a folder that holds config.json.`);
  const readTextIfPresent = (file: string): string | null => {
    const full = join(path, file);
    return existsSync(full) ? readFileSync(full, 'utf8') : null;
  };
  const readJsonIfPresent = (file: string): unknown => {
    const text = readTextIfPresent(file);
    if (text === null) return null;
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new ModelFolderError(`${join(path, file)} is not valid JSON. Copy the model folder again.`, {
        cause: error,
      });
    }
  };
  return {
    path,
    name: basename(path),
    readTextIfPresent,
    readJsonIfPresent,
    readJson: (file) => {
      const value = readJsonIfPresent(file);
      if (value === null) throw new ModelFolderError(`${join(path, file)} is missing. Choose a complete model folder.`);
      return value;
    },
  };
}

/**
 * Number of weights in the folder's safetensors files, from their headers alone; 0 when there are none.
 *
 * @throws ModelFolderError when a header is damaged
 */
export function countParameters(folder: string): number {
  let count = 0;
  for (const file of readdirSync(folder)) if (file.endsWith('.safetensors')) count += countInFile(join(folder, file));
  return count;
}

/** The format's own limit. */
const MOST_HEADER_BYTES = 100_000_000;

function countInFile(path: string): number {
  const descriptor = openSync(path, 'r');
  try {
    const prefix = Buffer.alloc(8);
    readSync(descriptor, prefix, 0, 8, 0);
    const header = Buffer.alloc(Math.min(Number(prefix.readBigUInt64LE(0)), MOST_HEADER_BYTES));
    readSync(descriptor, header, 0, header.length, 8);
    const tensors = Object.values(JSON.parse(header.toString('utf8')) as Record<string, { shape?: number[] }>); // the format's header
    return tensors.reduce((sum, { shape }) => sum + (shape?.reduce((product, size) => product * size, 1) ?? 0), 0);
  } catch (error) {
    throw new ModelFolderError(`${path} is damaged: its header cannot be read. Copy the model folder again.`, {
      cause: error,
    });
  } finally {
    closeSync(descriptor);
  }
}
