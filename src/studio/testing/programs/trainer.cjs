// Stands in for the trainer: speaks rlt/1, answers a batch at once, and says in a file that it ended in order.
const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { createInterface } = require('node:readline');

const runDir = process.argv[process.argv.indexOf('--run-dir') + 1];
const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

mkdirSync(runDir, { recursive: true });
say({ type: 'hello', schema: 'rlt/1', pid: process.pid, device: 'fixture', caps: [] });
process.stdout.write('a library that prints where it should not\n');
say({ type: 'ready', version: 0, last_batch: 0 });
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const command = JSON.parse(line);
    if (command.type === 'batch') say({ type: 'ack', batch: command.id, status: 'trained', version: command.id });
  })
  .on('close', () => {
    writeFileSync(join(runDir, 'saved'), 'yes');
    process.exit(20);
  });
