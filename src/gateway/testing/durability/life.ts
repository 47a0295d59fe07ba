import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { GatewayClient } from './clients';
import { type Machine, signal } from './machine';

/** Where a gateway runs and with what. */
export interface GatewayPlace {
  /** the bundled gateway-program */
  readonly program: string;
  readonly machine: Machine;
  readonly modelDir: string;
  /** what the trainer was given is noted here, outside of what a machine may lose */
  readonly witnessFile: string;
  /** it makes an admin key at its first start, instead of being given one */
  readonly hasOwnKey?: boolean;
}

/** One gateway process. */
export interface Life {
  readonly child: ChildProcess;
  readonly dataDir: string;
  /** Resolves when it answers; rejects when it ends before. */
  readonly listening: Promise<GatewayClient>;
}

/** Starts a gateway for the work. One that is still alive after it is killed: nothing may stay behind a failed round. */
export async function withGateway<T>(place: GatewayPlace, work: (life: Life) => Promise<T>): Promise<T> {
  const dataDir = await place.machine.start();
  const options = [dataDir, place.modelDir, place.witnessFile, ...(place.hasOwnKey === true ? ['own-key'] : [])];
  const child = spawn(process.execPath, [place.program, ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  const listening = untilListening(child);
  // Whether anybody waits for it is for the work to say.
  listening.catch(() => undefined);
  try {
    return await work({ child, dataDir, listening });
  } finally {
    if (child.exitCode === null && child.signalCode === null) await signal(child, 'SIGKILL');
  }
}

async function untilListening(child: ChildProcess): Promise<GatewayClient> {
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors = `${errors}${chunk}`.slice(-2000);
  });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', resolve); // piped above
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code} before it listened: ${errors}`)));
  });
  return new GatewayClient((JSON.parse(line) as { url: string }).url);
}
