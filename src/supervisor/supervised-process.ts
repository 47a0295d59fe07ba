import type { ChildProcess } from 'node:child_process';
import type { LogFile } from './log-file';
import { LineSplitter, LogTail } from './log-tail';
import type { OrphanLedger } from './orphan-ledger';
import { killGroup, killTree, signal } from './process-tree';
import type { OutputStream, ProcessExit, SupervisedProgram } from './program';
import { type Crash, decideRestart } from './restart-policy';
import { spawnProgram } from './spawn-program';

export type ProcessState = 'stopped' | 'starting' | 'ready' | 'stopping' | 'failed';

/** What a person is shown of one child. */
export interface ProcessStatus<Name extends string = string> {
  readonly name: Name;
  readonly state: ProcessState;
  readonly detail: string | null;
  readonly pid: number | null;
  /** automatic restarts since a person last started it */
  readonly restarts: number;
  /** milliseconds since the epoch of the last state change */
  readonly since: number;
}

export type ProcessEvent =
  | { readonly kind: 'change' }
  | { readonly kind: 'line'; readonly stream: OutputStream; readonly line: string }
  | { readonly kind: 'exit'; readonly exit: ProcessExit; readonly intended: boolean };

export interface SupervisionPorts {
  now(): number;
  readonly ledger?: OrphanLedger;
  readonly logFile?: LogFile;
}

interface Running {
  readonly child: ChildProcess;
  readonly exited: Promise<ProcessExit>;
  readonly deadline: NodeJS.Timeout;
  readonly probing: AbortController;
  /** why we ended it ourselves although nobody asked for a stop */
  condemned: string | null;
}

/**
 * One child as a state machine: `stopped → starting → ready → stopping → stopped`, or `failed` when the policy gives up.
 *
 * Methods may overlap: a start during a stop waits for it, a stop during a start or a restart delay cancels it. While it
 * waits for a restart the state is `starting` with no pid.
 */
export class SupervisedProcess<Name extends string = string> {
  #state: ProcessState = 'stopped';
  #detail: string | null = null;
  #since: number;
  #restarts = 0;
  #address: string | null = null;
  #running: Running | null = null;
  #restartTimer: NodeJS.Timeout | null = null;
  #stopping: Promise<void> | null = null;
  /** moves on with every start and stop, so that what an earlier life still has to say is not heard */
  #life = 0;
  #crashes: Crash[] = [];
  readonly #tail = new LogTail();
  readonly #listeners = new Set<(event: ProcessEvent) => void>();

  constructor(
    private readonly program: SupervisedProgram<Name>,
    private readonly ports: SupervisionPorts,
  ) {
    this.#since = ports.now();
  }

  status(): ProcessStatus<Name> {
    return {
      name: this.program.name,
      state: this.#state,
      detail: this.#detail,
      pid: this.#running?.child.pid ?? null,
      restarts: this.#restarts,
      since: this.#since,
    };
  }

  /** Where the child answers, as it said itself; null unless `ready`. */
  address(): string | null {
    return this.#state === 'ready' ? this.#address : null;
  }

  logLines(): string[] {
    return this.#tail.lines();
  }

  subscribe(listener: (event: ProcessEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Begins to start it, with a clean record; resolves when the child is spawned, not when it is ready. */
  async start(): Promise<void> {
    if (this.#stopping !== null) await this.#stopping;
    if (this.#running !== null) return;
    this.#cancelRestart();
    this.#crashes = [];
    this.#restarts = 0;
    await this.#launch();
  }

  /** Stops it (if it runs) and starts it again with a clean record; the way out of `failed`. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Resolves when `ready`, rejects when it failed or was stopped first, or when the signal aborts. */
  whenReady(abort?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (this.#state === 'ready') settle(resolve);
        else if (abort?.aborted === true) settle(() => reject(new Error(`gave up waiting for ${this.program.name}`)));
        else if (this.#state === 'failed' || this.#state === 'stopped')
          settle(() => reject(new Error(this.#detail ?? `${this.program.name} is stopped`)));
      };
      const unsubscribe = this.subscribe((event) => {
        if (event.kind === 'change') check();
      });
      const settle = (end: () => void): void => {
        unsubscribe();
        abort?.removeEventListener('abort', check);
        end();
      };
      abort?.addEventListener('abort', check);
      check();
    });
  }

  /** Writes one line to the child's stdin; false when there is no child to read it. */
  writeLine(line: string): boolean {
    const stdin = this.#running?.child.stdin;
    if (this.#state === 'stopping' || !stdin?.writable) return false;
    stdin.write(`${line}\n`);
    return true;
  }

  /** Polite request, grace period, then the whole tree by force; resolves when nothing of it is left. */
  stop(graceMs: number = this.program.graceMs): Promise<void> {
    this.#stopping ??= this.#stop(graceMs).finally(() => {
      this.#stopping = null;
    });
    return this.#stopping;
  }

  async #stop(graceMs: number): Promise<void> {
    this.#life += 1;
    this.#cancelRestart();
    const running = this.#running;
    if (running !== null) {
      this.#set('stopping', null);
      clearTimeout(running.deadline);
      running.probing.abort();
      this.#askToEnd(running.child);
      if (!(await settledWithin(running.exited, graceMs)) && running.child.pid !== undefined) {
        this.#note(`did not end within ${graceMs} ms, ended by force`);
        await killTree(running.child.pid);
      }
      await running.exited;
    }
    await this.ports.logFile?.flush();
    this.#set('stopped', null);
  }

  #askToEnd(child: ChildProcess): void {
    if (this.program.politeStop === 'terminate' && process.platform !== 'win32' && child.pid !== undefined) {
      signal(child.pid, 'SIGTERM');
    } else {
      child.stdin?.end();
    }
  }

  async #launch(): Promise<void> {
    this.#life += 1;
    const life = this.#life;
    this.#address = null;
    this.#set('starting', null);
    try {
      const command = await this.program.command();
      if (life !== this.#life) return;
      this.#note(`start ${command.file} ${command.args.join(' ')}`);
      this.#attach(spawnProgram(command), life);
    } catch (error) {
      if (life === this.#life) this.#onCrash(null, error instanceof Error ? error.message : String(error));
    }
  }

  #attach(child: ChildProcess, life: number): void {
    const splitters = (['stdout', 'stderr'] as const).map((stream) => {
      const splitter = new LineSplitter((line) => this.#onLine(stream, line, life));
      child[stream]?.on('data', (chunk: Buffer) => splitter.push(chunk));
      return splitter;
    });
    let spawnFailure: string | null = null;
    const exited = new Promise<ProcessExit>((resolve) => {
      child.once('error', (error) => {
        spawnFailure = error.message;
        if (child.pid === undefined) resolve({ code: null, signal: null });
      });
      child.once('exit', (code, exitSignal) => {
        // A grandchild may still hold the pipes: end the group first, then read what was said last.
        if (child.pid !== undefined) killGroup(child.pid);
        const end = (): void => resolve({ code, signal: exitSignal });
        child.once('close', end);
        setTimeout(end, 1000).unref();
      });
    });
    const running: Running = {
      child,
      exited: exited.then((exit) => {
        for (const splitter of splitters) splitter.flush();
        return exit;
      }),
      deadline: setTimeout(() => this.#onDeadline(running), this.program.readyDeadlineMs),
      probing: new AbortController(),
      condemned: null,
    };
    this.#running = running;
    if (child.pid !== undefined) {
      const pid = child.pid;
      void this.ports.ledger?.record(this.program.name, pid);
    }
    void running.exited.then((exit) => this.#onExit(running, exit, spawnFailure));
    this.#emit({ kind: 'change' });
  }

  #onLine(stream: OutputStream, line: string, life: number): void {
    // One every few seconds would push out of an idle child's tail all that it ever told.
    if (this.program.isHeartbeat?.(stream, line) !== true) this.#tail.append(line);
    this.ports.logFile?.append(line);
    this.#emit({ kind: 'line', stream, line });
    if (life !== this.#life || this.#state !== 'starting' || this.#address !== null) return;
    const address = this.program.readyLine(stream, line);
    if (address === null) return;
    this.#address = address;
    void this.#confirmReady(address, life);
  }

  async #confirmReady(address: string, life: number): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    while (this.program.probe !== undefined && !(await this.program.probe(address, running.probing.signal))) {
      if (running.probing.signal.aborted) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    if (life !== this.#life || this.#running !== running || this.#state !== 'starting') return;
    clearTimeout(running.deadline);
    this.#set('ready', null);
  }

  #onDeadline(running: Running): void {
    running.condemned = `${this.program.name} was not ready after ${Math.round(this.program.readyDeadlineMs / 1000)} s.`;
    running.probing.abort();
    if (running.child.pid !== undefined) void killTree(running.child.pid);
  }

  #onExit(running: Running, exit: ProcessExit, spawnFailure: string | null): void {
    const intended = this.#state === 'stopping';
    clearTimeout(running.deadline);
    running.probing.abort();
    this.#running = null;
    if (running.child.pid !== undefined) this.ports.ledger?.forget(running.child.pid);
    this.#note(`ended: ${describeExit(exit)}${intended ? ', as asked' : ''}`);
    this.#emit({ kind: 'exit', exit, intended });
    if (intended) return;
    const why = spawnFailure ?? running.condemned ?? this.program.explain(exit, this.#tail.lines());
    this.#onCrash(running.condemned === null ? exit.code : null, why);
  }

  #onCrash(code: number | null, why: string): void {
    this.#crashes.push({ atMs: this.ports.now(), code });
    const decision = decideRestart(this.program.restart, this.#crashes);
    if (decision.kind === 'give-up') {
      const after = decision.reason === 'too-many' ? ` Given up after ${this.#restarts} restarts.` : '';
      this.#set('failed', `${why}${after}`);
      return;
    }
    this.#restarts += 1;
    this.#restartTimer = setTimeout(() => {
      this.#restartTimer = null;
      void this.#launch();
    }, decision.delayMs);
    this.#set('starting', `${why} Starting it again in ${decision.delayMs / 1000} s.`);
  }

  #cancelRestart(): void {
    if (this.#restartTimer !== null) clearTimeout(this.#restartTimer);
    this.#restartTimer = null;
  }

  #note(text: string): void {
    const line = `supervisor: ${text}`;
    this.#tail.append(line);
    this.ports.logFile?.append(`${new Date(this.ports.now()).toISOString()} ${line}`);
  }

  #set(state: ProcessState, detail: string | null): void {
    if (this.#state === state && this.#detail === detail) return;
    if (this.#state !== state) this.#since = this.ports.now();
    this.#state = state;
    this.#detail = detail;
    this.#emit({ kind: 'change' });
  }

  #emit(event: ProcessEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }
}

/** "exit code 3", "signal SIGKILL". */
export function describeExit(exit: ProcessExit): string {
  if (exit.signal !== null) return `signal ${exit.signal}`;
  return exit.code === null ? 'never started' : `exit code ${exit.code}`;
}

async function settledWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  const settled = await Promise.race([promise.then(() => true as const), late]);
  clearTimeout(timer);
  return settled;
}
