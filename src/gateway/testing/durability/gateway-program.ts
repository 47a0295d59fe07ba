import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { batchName, manifestSchema, TRAINER_SCHEMA, type TrainerCommand } from '../../../shared/wire/trainer';
import { ScriptedBackend } from '../../backends/scripted/scripted-backend';
import { createGateway, type TrainerLink, type TrainerLinkEvent } from '../../compose';
import { parseGatewayConfig } from '../../config';
import { FileTrainer } from '../../trainer/testing/file-trainer';

/**
 * A gateway that is made to be killed: `node gateway-program <data folder> <model folder> <witness file> [own-key]`.
 *
 * Its engine answers at once. Its trainer keeps the file contract and, before it commits a batch, appends what it was
 * given to the witness file, so that whoever killed it can see whether anything was trained twice.
 */
const [dataDir = '', modelPath = '', witnessFile = '', ownKey] = process.argv.slice(2);
const adminKey = ownKey === undefined ? 'durability-admin' : null;
const runDir = join(dataDir, 'runs', 'plaudit', 'trial0');

class TellingTrainer implements TrainerLink {
  readonly #trainer = new FileTrainer(runDir);
  #listener: ((event: TrainerLinkEvent) => void) | null = null;

  send(command: TrainerCommand): boolean {
    if (command.type === 'batch') setImmediate(() => this.#train());
    return true;
  }

  subscribe(listener: (event: TrainerLinkEvent) => void): () => void {
    this.#listener = listener;
    setImmediate(() => this.#greet());
    return () => undefined;
  }

  #greet(): void {
    const { version, last_batch } = this.#trainer.head();
    this.#listener?.({ kind: 'message', message: { type: 'ready', version, last_batch } });
  }

  #train(): void {
    const batch = this.#trainer.head().last_batch + 1;
    const path = join(runDir, 'spool', batchName(batch), 'manifest.json');
    if (!existsSync(path)) return;
    const manifest = manifestSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
    const line = { batch, sha256: manifest.sha256, episodes: manifest.sessions.map(({ id }) => id) };
    appendFileSync(witnessFile, `${JSON.stringify(line)}\n`);
    this.#trainer.step();
    this.#greet();
  }
}

const gateway = createGateway(
  parseGatewayConfig({ dataDir, modelPath, adminKey, port: 0, batchSize: 8, admission: 'soft' }),
  {
    engineLocator: { current: () => null, subscribe: () => () => undefined },
    trainerLink: new TellingTrainer(),
    createBackend: (tokenizer) =>
      new ScriptedBackend({
        encode: (text) => tokenizer.encode(text),
        stopTokenId: tokenizer.stopTokenIds[0] ?? 0,
        contextLength: tokenizer.contextLength,
        script: (task) => [{ kind: 'text', text: `answer to ${task.promptTokenIds.length}` }],
      }),
  },
);
void gateway.listen().then(({ url }) => process.stdout.write(`${JSON.stringify({ url, schema: TRAINER_SCHEMA })}\n`));
process.once('SIGTERM', () => void gateway.close().then(() => process.exit(0)));
