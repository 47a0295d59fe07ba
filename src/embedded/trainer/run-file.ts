import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Head, headSchema, type Run, runSchema, TRAINER_EXIT, TRAINER_SCHEMA } from '../../shared/wire/trainer';
import { isAbsent, replaceFile } from './durable-files';
import { runPaths } from './run-directory';
import { TrainerFailure } from './trainer-failure';

/** Reads run.json: exit 10 when it is absent or wrong, 16 when it speaks another schema. */
export async function readRun(root: string): Promise<Run> {
  const path = runPaths.run(root);
  const text = await readFile(path, 'utf8').catch((cause) => {
    throw badConfig(`${path} cannot be read; the studio writes it before it starts a trainer`, cause);
  });
  const json = parseJson(text, (cause) => badConfig(`${path} is not valid JSON`, cause));
  refuseOtherSchema(path, json);
  const parsed = runSchema.safeParse(json);
  if (!parsed.success) throw badConfig(`${path}: ${firstIssue(parsed.error)}`, parsed.error);
  return { ...parsed.data, model_path: resolve(root, parsed.data.model_path) };
}

/** The commit record, or the state before the first batch when there is none yet. */
export async function readHead(root: string, run: Run): Promise<Head> {
  const path = runPaths.head(root);
  const text = await readFile(path, 'utf8').catch((cause) => {
    if (isAbsent(cause)) return null;
    throw cause;
  });
  if (text === null) return firstHead(run);
  const corrupt = (cause: unknown) =>
    new TrainerFailure(`${path} is damaged, so what was trained is unknown; restore it from a backup`, {
      exitCode: TRAINER_EXIT.corruptCheckpoint,
      code: 'corrupt_head',
      cause,
    });
  const json = parseJson(text, corrupt);
  refuseOtherSchema(path, json);
  const parsed = headSchema.safeParse(json);
  if (!parsed.success) throw corrupt(parsed.error);
  if (parsed.data.run_id !== run.run_id) {
    throw badConfig(`${path} belongs to run ${parsed.data.run_id}, run.json names ${run.run_id}`, undefined);
  }
  return parsed.data;
}

/** The commit point of a batch: after this returns, the batch is done for good. */
export async function writeHead(root: string, head: Head): Promise<void> {
  await replaceFile(runPaths.head(root), `${JSON.stringify(head, null, 2)}\n`);
}

/** Throws exit 16 when a file speaks another schema. */
export function refuseOtherSchema(path: string, json: unknown): void {
  const schema = typeof json === 'object' && json !== null && 'schema' in json ? json.schema : undefined;
  if (schema === TRAINER_SCHEMA) return;
  throw new TrainerFailure(`${path} has schema ${JSON.stringify(schema)}, this trainer speaks ${TRAINER_SCHEMA}`, {
    exitCode: TRAINER_EXIT.schemaMismatch,
    code: 'schema_mismatch',
  });
}

/** Names the first thing that a schema refused. */
export function firstIssue(error: { readonly issues: readonly { path: PropertyKey[]; message: string }[] }): string {
  const issue = error.issues[0];
  return issue === undefined ? 'not valid' : `${issue.path.map(String).join('.') || '(whole)'}: ${issue.message}`;
}

export function parseJson(text: string, failure: (cause: unknown) => Error): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw failure(cause);
  }
}

function firstHead(run: Run): Head {
  return {
    schema: TRAINER_SCHEMA,
    run_id: run.run_id,
    version: 0,
    incarnation: 0,
    last_batch: 0,
    batch_sha: null,
    ckpt: null,
    weights: null,
    status: 'none',
    dropped: [],
  };
}

function badConfig(message: string, cause: unknown): TrainerFailure {
  return new TrainerFailure(message, { exitCode: TRAINER_EXIT.badConfig, code: 'bad_config', cause });
}
