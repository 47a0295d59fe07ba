// A tiny program that misbehaves as asked: node child.mjs <behaviour> [argument]
import { spawn } from 'node:child_process';
import { appendFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [behaviour, argument] = process.argv.slice(2);
const self = fileURLToPath(import.meta.url);
const stay = () => setInterval(() => {}, 1000);
const ready = () => process.stderr.write('fixture: ready at-home\n');
const endWithStdin = (code) => {
  process.stdin.on('end', () => process.exit(code));
  process.stdin.resume();
};

const behaviours = {
  /** ready, ends politely on SIGTERM and on the end of stdin */
  good() {
    process.on('SIGTERM', () => process.exit(0));
    endWithStdin(20);
    ready();
  },
  /** repeats its stdin */
  echo() {
    process.stdin.on('data', (chunk) => process.stdout.write(`heard ${chunk}`));
    endWithStdin(0);
    ready();
  },
  /** never ready */
  hang: stay,
  /** ready, hears no polite word */
  stubborn() {
    process.on('SIGTERM', () => {});
    process.on('SIGINT', () => {});
    stay();
    ready();
  },
  /** stubborn, with a stubborn child of its own, whose pid it tells */
  family() {
    const child = spawn(process.execPath, [self, 'stubborn'], { stdio: ['ignore', 'inherit', 'ignore'] });
    process.stdout.write(`grandchild ${child.pid}\n`);
    process.on('SIGTERM', () => {});
    stay();
    child.once('spawn', ready);
  },
  /** ends at once and leaves a child behind that holds its stdout */
  parentless() {
    const child = spawn(process.execPath, [self, 'stubborn'], { stdio: ['ignore', 'inherit', 'ignore'] });
    child.once('spawn', () => {
      process.stdout.write(`grandchild ${child.pid}\n`, () => process.exit(7));
    });
  },
  /** ends at once with the code it is given */
  exit() {
    process.stderr.write('fixture: the last word\n', () => process.exit(Number(argument)));
  },
  /** ready, then ends with code 3 */
  crash() {
    ready();
    setTimeout(() => process.exit(3), 50);
  },
  /** crashes the first two times it is started (counted in a file), then stays */
  recover() {
    appendFileSync(argument, 'x');
    if (statSync(argument).size <= 2) process.exit(3);
    behaviours.good();
  },
  /** tells one thing, then beats as often as it is asked, and says when it is done */
  beat() {
    endWithStdin(0);
    process.stdout.write('{"type":"ready","version":0,"last_batch":0}\n{"type":"warn","code":"only_once"}\n');
    process.stdout.write('{"type":"heartbeat"}\n'.repeat(Number(argument)));
    process.stdout.write('{"type":"bye","code":0}\n');
  },
  /** writes without end */
  spew() {
    ready();
    let number = 0;
    const line = () => {
      number += 1;
      return `spew ${number} ${'x'.repeat(200)}\n`;
    };
    const write = () => {
      while (process.stdout.write(line()));
      process.stdout.once('drain', () => setImmediate(write));
    };
    process.on('SIGTERM', () => process.exit(0));
    write();
  },
};

behaviours[behaviour]();
