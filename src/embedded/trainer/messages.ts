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

  constructor() {
    // the studio may be gone: what matters is on disk, so a broken pipe is no reason to stop
    process.stdout.on('error', () => {});
  }

  /** From here on messages are copied to the run's events.jsonl. */
  openEvents(root: string): void {
    mkdirSync(root, { recursive: true });
    this.#events = openSync(runPaths.events(root), 'a');
    for (const line of this.#early) writeSync(this.#events, line);
    this.#early = [];
  }

  send(message: TrainerMessage): void {
    const line = `${JSON.stringify(message)}\n`;
    process.stdout.write(line);
    if (message.type === 'heartbeat') return;
    if (this.#events === null) this.#early.push(line);
    else writeSync(this.#events, line);
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
