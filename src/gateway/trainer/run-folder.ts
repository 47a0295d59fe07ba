import { err, ok, type Result } from '../../shared/lib/result';
import {
  batchName,
  type Head,
  headSchema,
  type Manifest,
  manifestSchema,
  type Run,
  runSchema,
  skipSchema,
  TRAINER_SCHEMA,
  type TrainerMessage,
  trainerMessageSchema,
} from '../../shared/wire/trainer';
import { type DurableFiles, sha256Hex } from '../platform/durable-files';
import { joinPath } from '../platform/private-files';

/** A file of the run folder says something it must not. */
export interface RunFolderProblem {
  readonly kind: 'unreadable';
  readonly file: string;
  readonly message: string;
}

/**
 * Our side of a run folder: we write run.json, spool/ and skip/, and read state/HEAD.json, weights/ and events.jsonl.
 *
 * Everything written appears whole or not at all. Missing files are null, unreadable ones a problem; a failing disk rejects.
 */
export class RunFolder {
  constructor(
    readonly path: string,
    readonly files: DurableFiles,
  ) {}

  /** The run this folder belongs to; makes and writes one when it has none yet. An existing run.json is left as it is. */
  async ensureRun(makeRun: () => Promise<Run>): Promise<Result<Run, RunFolderProblem>> {
    const file = joinPath(this.path, 'run.json');
    const bytes = await this.files.read(file);
    if (bytes !== null) return this.#parse('run.json', bytes, runSchema.safeParse.bind(runSchema));
    const fresh = await makeRun();
    await this.files.replace(file, jsonBytes(fresh));
    return ok(fresh);
  }

  /** The run's model has moved; nothing else of a run ever changes. */
  async moveModel(run: Run, modelPath: string): Promise<void> {
    await this.files.replace(joinPath(this.path, 'run.json'), jsonBytes({ ...run, model_path: modelPath }));
  }

  async readHead(): Promise<Result<Head | null, RunFolderProblem>> {
    const bytes = await this.files.read(joinPath(this.path, 'state', 'HEAD.json'));
    return bytes === null ? ok(null) : this.#parse('state/HEAD.json', bytes, headSchema.safeParse.bind(headSchema));
  }

  /** Absolute path of a spool folder, as it is offered to the trainer. */
  spoolPath(batchId: number): string {
    return joinPath(this.path, 'spool', batchName(batchId));
  }

  /**
   * Makes `spool/NNNNNN` hold exactly this batch.
   *
   * Bytes are deterministic, so a folder that is already right (a crash came after the rename) is left alone; a damaged
   * one is moved aside and written again.
   */
  async writeSpool(manifest: Manifest, data: Uint8Array): Promise<void> {
    const path = this.spoolPath(manifest.batch_id);
    if (await this.hasSpool(manifest.batch_id, manifest.sha256, manifest.run_id)) return;
    if (await this.files.exists(path)) await this.files.moveAside(path, `${path}.damaged`);
    await this.files.publishFolder(path, [
      ['data.safetensors', data],
      ['manifest.json', jsonBytes(manifest)],
    ]);
  }

  /** A run that has trained but lost its run.json: a fresh one would give the trainer batches of another run. */
  async hasLostRunFile(): Promise<boolean> {
    const hasRun = await this.files.exists(joinPath(this.path, 'run.json'));
    return !hasRun && (await this.files.exists(joinPath(this.path, 'state', 'HEAD.json')));
  }

  /** True when the folder is complete, belongs to this run, and its data has this sha256. */
  async hasSpool(batchId: number, sha256: string, runId: string): Promise<boolean> {
    const path = this.spoolPath(batchId);
    const manifest = await this.files.read(joinPath(path, 'manifest.json'));
    if (manifest === null) return false;
    const parsed = this.#parse('manifest.json', manifest, manifestSchema.safeParse.bind(manifestSchema));
    if (!parsed.ok || parsed.value.sha256 !== sha256) return false;
    if (parsed.value.run_id !== runId || parsed.value.batch_id !== batchId) return false;
    const data = await this.files.read(joinPath(path, 'data.safetensors'));
    return data !== null && sha256Hex(data) === sha256;
  }

  /** Which spool folder is there, and the sizes of its files; null when it is not complete. Cheap: nothing is read. */
  async spoolStamp(batchId: number): Promise<string | null> {
    const path = this.spoolPath(batchId);
    const sizes = [
      await this.files.size(joinPath(path, 'manifest.json')),
      await this.files.size(joinPath(path, 'data.safetensors')),
    ];
    return sizes.includes(null) ? null : [batchId, ...sizes].join('/');
  }

  async writeSkip(batchId: number, reason: string): Promise<void> {
    const skip = { schema: TRAINER_SCHEMA, batch_id: batchId, reason };
    await this.files.replace(this.#skipPath(batchId), jsonBytes(skip));
  }

  /** Why we told the trainer to skip this batch; null when we did not. */
  async readSkipReason(batchId: number): Promise<string | null> {
    const bytes = await this.files.read(this.#skipPath(batchId));
    if (bytes === null) return null;
    const parsed = this.#parse('skip', bytes, skipSchema.safeParse.bind(skipSchema));
    return parsed.ok ? parsed.value.reason : null;
  }

  /**
   * Every report in the trainer's own record, oldest first; a line that is none is passed over.
   *
   * Read in parts: the record holds all that a long run has said.
   */
  async *readReports(): AsyncGenerator<MetricsMessage> {
    const path = joinPath(this.path, 'events.jsonl');
    const decoder = new TextDecoder();
    let rest = '';
    for (let offset = 0; ; ) {
      const bytes = await this.files.readRange(path, offset, READ_BYTES);
      if (bytes === null || bytes.length === 0) break;
      offset += bytes.length;
      const lines = `${rest}${decoder.decode(bytes, { stream: true })}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        // Most lines are progress; only reports are worth a parse.
        const report = line.includes('"metrics"') ? parseReport(line) : null;
        if (report !== null) yield report;
      }
    }
  }

  #skipPath(batchId: number): string {
    return joinPath(this.path, 'skip', `${batchName(batchId)}.json`);
  }

  #parse<T>(
    file: string,
    bytes: Uint8Array,
    parse: (value: unknown) => { success: true; data: T } | { success: false; error: { message: string } },
  ): Result<T, RunFolderProblem> {
    let value: unknown;
    try {
      value = JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      return err({ kind: 'unreadable', file, message: 'it is not JSON' });
    }
    const parsed = parse(value);
    return parsed.success ? ok(parsed.data) : err({ kind: 'unreadable', file, message: parsed.error.message });
  }
}

const READ_BYTES = 1 << 20;

type MetricsMessage = Extract<TrainerMessage, { readonly type: 'metrics' }>;

function parseReport(line: string): MetricsMessage | null {
  try {
    const parsed = trainerMessageSchema.safeParse(JSON.parse(line));
    return parsed.success && parsed.data.type === 'metrics' ? parsed.data : null;
  } catch {
    return null;
  }
}

function jsonBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value, null, 1)}\n`);
}
