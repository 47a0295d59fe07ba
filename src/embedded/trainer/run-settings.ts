import { readFile } from 'node:fs/promises';
import { type Algorithm, algorithmSchema } from '../../shared/wire/trainer';
import { isAbsent, replaceFile } from './durable-files';
import { runPaths } from './run-directory';
import { firstIssue } from './run-file';

/** Short names that `set` and manifests may use. */
const ALIASES: Readonly<Record<string, string>> = { lr: 'learning_rate', beta: 'kl_beta' };

export type SettingsResult =
  | { readonly ok: true; readonly algorithm: Algorithm }
  | { readonly ok: false; readonly problem: string };

/** The algorithm with some numbers changed, checked by the same schema as run.json. */
export function withOverrides(algorithm: Algorithm, overrides: Readonly<Record<string, number>>): SettingsResult {
  const changed: Record<string, unknown> = { ...algorithm };
  for (const [key, value] of Object.entries(overrides)) {
    const name = ALIASES[key] ?? key;
    if (!Object.hasOwn(algorithm, name)) return { ok: false, problem: `there is no setting ${key}` };
    changed[name] = value;
  }
  const parsed = algorithmSchema.safeParse(changed);
  return parsed.success ? { ok: true, algorithm: parsed.data } : { ok: false, problem: firstIssue(parsed.error) };
}

/** Overrides that earlier `set` commands made; they last beyond a restart, or a batch done again would come out otherwise. */
export async function readSavedOverrides(root: string): Promise<Record<string, number>> {
  const text = await readFile(runPaths.settings(root), 'utf8').catch((cause) => {
    if (isAbsent(cause)) return '{}';
    throw cause;
  });
  const json: unknown = JSON.parse(text);
  const entries = Object.entries(typeof json === 'object' && json !== null ? json : {});
  return Object.fromEntries(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
}

export async function saveOverrides(root: string, overrides: Readonly<Record<string, number>>): Promise<void> {
  await replaceFile(runPaths.settings(root), `${JSON.stringify(overrides)}\n`);
}
