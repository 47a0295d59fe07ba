import { request } from 'node:http';
import { type ProcessExit, type SupervisedProgram, scriptCommand } from './program';
import { DEFAULT_RESTART_POLICY, type RestartPolicy } from './restart-policy';

const READY = /^embedded-engine: ready (http:\/\/\S+)/;
const FATAL = /^embedded-engine: fatal (.+)$/;

/** Exit 2 = flags that the engine does not take: the same flags would fail again. */
const BAD_FLAGS = 2;

/** A young generation of 16 MiB pays nothing here and costs 25 MB of resident memory (bench/engine/memory.mjs). */
const NODE_FLAGS = ['--max-semi-space-size=2'];

export interface EngineWeights {
  readonly path: string;
  readonly version: number;
}

/** The embedded engine, behind the same HTTP subset and process contract as the big engines. */
export function embeddedEngineProgram(options: {
  /** the bundled program file */
  readonly script: string;
  /** what it is to serve; asked at every start, because training goes on while it is down */
  readonly weights: () => Promise<EngineWeights>;
  readonly contextLength?: number;
  readonly restart?: RestartPolicy;
}): SupervisedProgram<'engine'> {
  return {
    name: 'engine',
    async command() {
      const { path, version } = await options.weights();
      const args = ['--model-path', path, '--weight-version', String(version), '--host', '127.0.0.1', '--port', '0'];
      if (options.contextLength !== undefined) args.push('--context-length', String(options.contextLength));
      return scriptCommand(options.script, [...args, '--exit-on-stdin-eof'], NODE_FLAGS);
    },
    readyLine: (_stream, line) => READY.exec(line)?.[1] ?? null,
    probe: isHealthy,
    readyDeadlineMs: 60_000,
    politeStop: 'terminate',
    graceMs: 5000,
    restart: options.restart ?? { ...DEFAULT_RESTART_POLICY, noRestartExitCodes: [BAD_FLAGS] },
    explain: explainEngineExit,
  };
}

function isHealthy(address: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request(`${address}/health`, { signal, timeout: 2000 }, (reply) => {
      reply.resume();
      resolve(reply.statusCode === 200);
    });
    probe.on('timeout', () => probe.destroy());
    probe.on('error', () => resolve(false));
    probe.end();
  });
}

function explainEngineExit(exit: ProcessExit, lastLines: readonly string[]): string {
  for (const line of [...lastLines].reverse()) {
    if (line.startsWith('supervisor: start ')) break;
    const fatal = FATAL.exec(line)?.[1];
    if (fatal !== undefined) return `The engine ended: ${fatal}.`;
  }
  if (exit.signal !== null) return `The engine was ended by ${exit.signal}.`;
  return `The engine ended with exit code ${exit.code}.`;
}
