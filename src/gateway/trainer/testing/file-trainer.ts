import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import {
  batchName,
  type Head,
  headSchema,
  type Manifest,
  manifestSchema,
  TRAINER_SCHEMA,
} from '../../../shared/wire/trainer';
import { sha256Hex } from '../../platform/durable-files';

/** A trainer that keeps the file contract and learns nothing: it only remembers which episodes it was given. */
export class FileTrainer {
  /** episode ids in the order they were committed */
  readonly committed: string[] = [];

  constructor(private readonly runDir: string) {}

  head(): Head {
    const path = join(this.runDir, 'state', 'HEAD.json');
    if (existsSync(path)) return headSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
    return {
      schema: TRAINER_SCHEMA,
      run_id: 'run',
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

  /** Takes the next batch if its spool folder is there. @returns what it committed, or null */
  step(status: 'trained' | 'no_signal' | 'too_stale' = 'trained', dropped: Head['dropped'] = []): Head | null {
    const head = this.head();
    const batch = head.last_batch + 1;
    const folder = join(this.runDir, 'spool', batchName(batch));
    if (!existsSync(folder)) return null;
    const isSkipped = existsSync(join(this.runDir, 'skip', `${batchName(batch)}.json`));
    const manifest = this.#read(folder);
    const fate = isSkipped ? 'skipped' : status;
    const version = fate === 'trained' ? head.version + 1 : head.version;
    const weights = fate === 'trained' ? this.#writeWeights(version, batch) : head.weights;
    this.#commit({ ...head, version, last_batch: batch, batch_sha: manifest.sha256, weights, status: fate, dropped });
    this.committed.push(...manifest.sessions.map(({ id }) => id));
    return this.head();
  }

  /** Makes the newest version again, as after damage to the training state. */
  remake(): void {
    const head = this.head();
    const incarnation = head.incarnation + 1;
    this.#commit({ ...head, incarnation, weights: this.#writeWeights(head.version, head.last_batch, incarnation) });
  }

  #read(folder: string): Manifest {
    const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
    const sha256 = sha256Hex(readFileSync(join(folder, 'data.safetensors')));
    if (sha256 !== manifest.sha256) throw new Error(`spool ${folder} is damaged`);
    return manifest;
  }

  #writeWeights(version: number, batch: number, incarnation = 0): string {
    const path = join('weights', `v${batchName(version)}.i${incarnation}`);
    this.#makeFolder(join(this.runDir, 'weights'));
    this.#makeFolder(join(this.runDir, path));
    const bytes = Buffer.from(`weights ${version}`);
    this.#write(join(this.runDir, path, 'model.safetensors'), bytes);
    const file = { name: 'model.safetensors', bytes: bytes.length, sha256: sha256Hex(bytes) };
    const manifest = {
      version,
      incarnation,
      kind: 'full',
      files: [file],
      parent_version: version - 1,
      batch_id: batch,
    };
    this.#write(join(this.runDir, path, 'weights.json'), JSON.stringify(manifest));
    this.#sync(join(this.runDir, path));
    return path;
  }

  #commit(head: Head): void {
    const path = join(this.runDir, 'state', 'HEAD.json');
    this.#makeFolder(dirname(path));
    this.#write(`${path}.tmp`, JSON.stringify(head));
    renameSync(`${path}.tmp`, path);
    this.#sync(dirname(path));
  }

  #makeFolder(path: string): void {
    mkdirSync(path, { recursive: true });
    this.#sync(dirname(path));
  }

  #write(path: string, content: string | Buffer): void {
    writeFileSync(path, content);
    this.#sync(path);
  }

  /** Only a trainer that keeps the contract can show whether the gateway survives a power cut. */
  #sync(path: string): void {
    const file = openSync(path, 'r');
    fsyncSync(file);
    closeSync(file);
  }
}
