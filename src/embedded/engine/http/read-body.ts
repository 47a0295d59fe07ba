import type { IncomingMessage } from 'node:http';
import { parseBody } from '../generate-request';
import { RequestError } from '../request-error';

/** A prompt of the largest context is a few ten thousand bytes of JSON. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Reads and parses a JSON body; empty reads as `{}`. Refuses an oversized one without keeping it in memory. */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > MAX_BODY_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.byteLength;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(bytes);
  }
  return size === 0 ? {} : parseBody(Buffer.concat(chunks).toString('utf8'));
}

function tooLarge(): RequestError {
  const message = `the request body is larger than ${MAX_BODY_BYTES} bytes`;
  return new RequestError(413, message, { error: { message } });
}
