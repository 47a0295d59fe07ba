import { readFile } from 'node:fs/promises';
import { type Algorithm, algorithmSchema, type RunSettings, runSettingsSchema } from '../../shared/wire/trainer';
import { isAbsent, replaceFile } from './durable-files';
import { runPaths } from './run-directory';
import { firstIssue } from './run-file';

/** Short names that `set` and manifests may use. */
const ALIASES: Readonly<Record<string, string>> = { lr: 'learning_rate', beta: 'kl_beta' };

export type SettingsResult =
  | { readonly ok: true; readonly algorithm: Algorithm }
  | { readonly ok: false; readonly problem: string };

/** The algorithm with some numbers changed, checked by the same schema as run.json. */
export function withOverrides(algorithm: Algorithm, overrides: RunSettings): SettingsResult {
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
export async function readSavedOverrides(root: string): Promise<RunSettings> {
  const text = await readFile(runPaths.settings(root), 'utf8').catch((cause) => {
    if (isAbsent(cause)) return '{}';
    throw cause;
  });
  return runSettingsSchema.parse(JSON.parse(text));
}

/** The settings a person changes within a run, as a batch is trained with them. */
export function settingsOf(algorithm: Algorithm): RunSettings {
  const { baseline, learning_rate, kl_beta } = algorithm;
  return { baseline, learning_rate, kl_beta };
}

export async function saveOverrides(root: string, overrides: RunSettings): Promise<void> {
  await replaceFile(runPaths.settings(root), `${JSON.stringify(overrides)}\n`);
}
