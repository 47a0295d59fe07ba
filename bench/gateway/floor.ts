import { fdatasyncSync, openSync, writeSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/**
 * What no gateway on Node can go below: a proxy that asks the engine as ours does and passes on what comes, with no
 * session, no prompt and no record. `synced` as argument: each answer writes five pages, as one of ours does, and waits
 * for the disk.
 */
const isSynced = process.argv[2] === 'synced';
const engineUrl = process.env.PLAUDIT_ENGINE_URL ?? '';
const agent = new Agent({ keepAlive: true, maxSockets: 512 });

const PAGES = Buffer.alloc(5 * 4096);
/** The journal begins anew at this size, as a checkpoint lets it. */
const JOURNAL_BYTES = 4 * 2 ** 20;
const journal = openSync(join(process.env.PLAUDIT_DATA_DIR ?? '.', 'journal'), 'w');
let at = 0;

function sync(): void {
  writeSync(journal, PAGES, 0, PAGES.length, at);
  at = (at + PAGES.length) % JOURNAL_BYTES;
  fdatasyncSync(journal);
}

let counter = 0;

function answer(text: string, reply: ServerResponse): void {
  const { stream, max_tokens } = JSON.parse(text) as { stream: boolean; max_tokens: number };
  counter += 1;
  const sampling_params = { max_new_tokens: max_tokens, temperature: 1 };
  const body = JSON.stringify({
    rid: `floor-${counter}`,
    input_ids: [1, 2, 3],
    return_logprob: true,
    stream: true,
    sampling_params,
  });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const outgoing = request(`${engineUrl}/generate`, { method: 'POST', agent, headers }, (events) => {
    if (stream) reply.writeHead(200, { 'content-type': 'text/event-stream' });
    let whole = '';
    events.setEncoding('utf8');
    events.on('data', (chunk: string) => {
      if (stream) reply.write(chunk);
      else whole += chunk;
    });
    events.on('end', () => {
      if (isSynced) sync();
      reply.end(stream ? undefined : JSON.stringify({ choices: [{ message: { content: whole } }] }));
    });
  });
  outgoing.on('error', (error) => reply.destroy(error));
  outgoing.end(body);
}

function handle(incoming: IncomingMessage, reply: ServerResponse): void {
  let text = '';
  incoming.setEncoding('utf8');
  incoming.on('data', (chunk: string) => {
    text += chunk;
  });
  incoming.on('end', () => {
    if (incoming.url === '/chat/completions') answer(text, reply);
    else reply.end(JSON.stringify({ api_key: 'key' })); // a session's beginning
  });
}

const server = createServer(handle).listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // it listens on TCP
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
