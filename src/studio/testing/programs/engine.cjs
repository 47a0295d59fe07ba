// Stands in for the engine: the same words on stderr, /health, /flags, and the same ways to end.
// ENGINE_FIXTURE=fatal makes it fail like an engine whose weights cannot be loaded.
const { createServer } = require('node:http');

if (process.env.ENGINE_FIXTURE === 'fatal') {
  process.stderr.write('embedded-engine: fatal weights: cannot be loaded\n', () => process.exit(1));
} else {
  const server = createServer((request, reply) => {
    if (request.url === '/crash') process.exit(1);
    reply.end(JSON.stringify(process.argv.slice(2)));
  });
  server.listen(0, '127.0.0.1', () => {
    process.stderr.write(`embedded-engine: ready http://127.0.0.1:${server.address().port}\n`);
  });
  process.stdin.on('end', () => process.exit(0));
  process.stdin.resume();
  process.on('SIGTERM', () => process.exit(0));
}
