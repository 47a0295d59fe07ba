import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { identify, isSameProcess, killTree, type ProcessIdentity } from './process-tree';

interface LedgerEntry extends ProcessIdentity {
  readonly name: string;
}

/**
 * Remembers on disk which children run, so that the next start can end those that outlived a killed host.
 *
 * Only a process whose pid and start time both match is ended: a number alone may by now belong to somebody else.
 */
export class OrphanLedger {
  #entries: LedgerEntry[] = [];

  constructor(private readonly path: string) {}

  /** Ends what an earlier host left behind; returns the names of the ended children. */
  async sweep(): Promise<string[]> {
    const ended: string[] = [];
    for (const entry of readLedger(this.path)) {
      if (!(await isSameProcess(entry))) continue;
      await killTree(entry.pid);
      ended.push(entry.name);
    }
    this.#entries = [];
    this.#write();
    return ended;
  }

  async record(name: string, pid: number): Promise<void> {
    const identity = await identify(pid);
    if (identity === null) return;
    this.#entries = [...this.#entries.filter((entry) => entry.pid !== pid), { name, ...identity }];
    this.#write();
  }

  forget(pid: number): void {
    this.#entries = this.#entries.filter((entry) => entry.pid !== pid);
    this.#write();
  }

  #write(): void {
    try {
      mkdirSync(dirname(this.path), { recursive: true });
      writeFileSync(`${this.path}.new`, `${JSON.stringify({ processes: this.#entries }, null, 2)}\n`, { mode: 0o600 });
      renameSync(`${this.path}.new`, this.path);
    } catch {
      // The ledger is a second net: children also end by themselves when the host's end of their stdin closes.
    }
  }
}

function readLedger(path: string): LedgerEntry[] {
  if (!existsSync(path)) return [];
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const entries = (parsed as { processes?: unknown }).processes; // checked entry by entry below
    return Array.isArray(entries) ? entries.filter(isEntry) : [];
  } catch {
    return []; // a half-written ledger names nobody
  }
}

function isEntry(value: unknown): value is LedgerEntry {
  const entry = value as Partial<LedgerEntry> | null; // every field is checked here
  return (
    typeof entry?.name === 'string' &&
    typeof entry.startedAt === 'string' &&
    typeof entry.pid === 'number' &&
    Number.isInteger(entry.pid) &&
    entry.pid > 1
  );
}
