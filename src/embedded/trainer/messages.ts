import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type TrainerCommand, type TrainerMessage, trainerCommandSchema } from '../../shared/wire/trainer';
import { runPaths } from './run-directory';
import { firstIssue } from './run-file';

/** JSON lines to the studio, copied to events.jsonl. Heartbeats are not copied: they would outgrow all else. */
export class MessageWriter {
  #events: number | null = null;
  /** said before the run directory was ours to write in */
  #early: string[] = [];
  #isOpen = false;

  constructor() {
    // the studio may be gone: what matters is on disk, so a broken pipe is no reason to stop
    process.stdout.on('error', () => {});
  }

  /** From here on messages are copied to the run's events.jsonl. */
  openEvents(root: string): void {
    mkdirSync(root, { recursive: true });
    this.#events = openSync(runPaths.events(root), 'a');
    this.#isOpen = true;
    for (const line of this.#early) this.#copy(line);
    this.#early = [];
  }

  send(message: TrainerMessage): void {
    const line = `${JSON.stringify(message)}\n`;
    process.stdout.write(line);
    if (message.type === 'heartbeat') return;
    if (this.#isOpen) this.#copy(line);
    else this.#early.push(line);
  }

  /** A copy that cannot be written must not end the run: a full disk is reported where it matters, at the commit. */
  #copy(line: string): void {
    if (this.#events === null) return;
    try {
      writeSync(this.#events, line);
    } catch (thrown) {
      process.stderr.write(`trainer: events.jsonl cannot be written: ${String(thrown)}\n`);
      closeSync(this.#events);
      this.#events = null;
    }
  }

  /** Waits until the pipe has taken everything, or is gone. */
  async close(): Promise<void> {
    if (this.#events !== null) closeSync(this.#events);
    this.#events = null;
    await new Promise<void>((done) => {
      if (!process.stdout.writable) done();
      else process.stdout.write('', () => done());
    });
  }
}

export interface CommandHandlers {
  onCommand(command: TrainerCommand): void;
  onBadLine(problem: string): void;
  onEnd(): void;
}

/** Reads commands from stdin, one JSON object per line; a line that is none is reported and skipped. */
export function readCommands({ onCommand, onBadLine, onEnd }: CommandHandlers): void {
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on('line', (line) => {
    if (line.trim() === '') return;
    let json: unknown;
    try {
      json = JSON.parse(line);
    } catch {
      onBadLine('a line on stdin is not JSON');
      return;
    }
    const parsed = trainerCommandSchema.safeParse(json);
    if (parsed.success) onCommand(parsed.data);
    else onBadLine(`a command is not known: ${firstIssue(parsed.error)}`);
  });
  lines.on('close', onEnd);
  process.stdin.on('error', onEnd);
}
