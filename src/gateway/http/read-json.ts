import type { z } from 'zod';
import { err, ok, type Result } from '../../shared/lib/result';
import { type Refusal, refusal } from '../platform/refusal';
import { JsonMeter } from './json-meter';
import type { CallRequest } from './reply';

/**
 * Reads and checks a JSON body; everything after this call trusts its type.
 *
 * Refuses a media type other than JSON (a web page can send any other without asking), a compressed body, a body over the
 * limit, one whose client went away in the middle of it, broken JSON, and a body the schema does not accept. An empty body
 * reads as `{}`.
 *
 * @param inspect - looks at the parsed body before its schema does, which takes long for many values
 */
export async function readJson<S extends z.ZodType>(
  request: CallRequest,
  schema: S,
  limitBytes: number,
  inspect?: (value: unknown, bytes: number) => Refusal | null,
): Promise<Result<z.infer<S>, Refusal>> {
  const mediaType = request.headers.get('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== undefined && mediaType !== '' && mediaType !== 'application/json')
    return err(
      refusal('media-type', `Unsupported Media Type: Only 'application/json' is allowed, not '${mediaType}'.`),
    );
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity')
    return err(
      refusal('content-encoding', `Content-Encoding '${encoding}' is not supported: send the body as plain JSON.`),
    );
  const read = await readText(request, limitBytes).catch(toCutOff);
  if (!read.ok) return read;
  const { text, bytes } = read.value;
  let value: unknown;
  try {
    value = text.trim() === '' ? {} : JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return err(refusal('bad-json', `The body is not valid JSON: ${reason}.`));
  }
  const excess = inspect?.(value, bytes) ?? null;
  if (excess !== null) return err(excess);
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  return err(schemaRefusal(parsed.error, 'body'));
}

/**
 * Names the first field that a schema does not accept, and why.
 *
 * @param whole - what to name when no field is to blame
 */
export function schemaRefusal({ issues }: z.ZodError, whole: 'body' | 'query'): Refusal {
  const path = issues[0]?.path.join('.') ?? '';
  return refusal('bad-body', `${path === '' ? whole : path}: ${issues[0]?.message ?? 'is not valid'}.`, path);
}

/** A connection that fails is the client's doing, and nobody is there to hear the refusal: it is for the log. */
function toCutOff(error: unknown): Result<never, Refusal> {
  // What Node and Hono throw when we read a body twice.
  if (error instanceof TypeError) throw error;
  return err(refusal('body-cut-off', 'The connection was closed before the whole body was sent: send it again.'));
}

/**
 * Everything that walks a body later does so by recursion, and keeps everybody else waiting meanwhile; no honest request
 * comes near these.
 */
const STRUCTURE = { values: 30_000, levels: 64 };

async function readText(
  request: CallRequest,
  limitBytes: number,
): Promise<Result<{ readonly text: string; readonly bytes: number }, Refusal>> {
  const tooLarge = refusal('body-too-large', `The body is larger than the limit of ${limitBytes} bytes.`);
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > limitBytes) return err(tooLarge);
  // The parser of HTTP holds a body to its declared length. Read at once, a small one needs no stream of the web kind,
  // whose making is a good part of the cost of a request.
  if (declared > 0 && declared <= SMALL_BYTES) return readSmall(new Uint8Array(await request.arrayBuffer()));
  if (request.body === null) return ok({ text: '', bytes: 0 });
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let isUtf8 = true;
  const meter = new JsonMeter(STRUCTURE);
  let exceeded: keyof typeof STRUCTURE | null = null;
  let text = '';
  let bytes = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > limitBytes) {
      await reader.cancel();
      return err(tooLarge);
    }
    // The rest is read all the same: a client whose body is cut off would never see the reason.
    if (exceeded !== null) continue;
    exceeded = meter.addBytes(value);
    const piece: string | null = exceeded === null && isUtf8 ? tryDecode(decoder, value, true) : '';
    isUtf8 &&= piece !== null;
    text = exceeded === null && piece !== null ? text + piece : '';
  }
  if (exceeded !== null) return err(tooMuchStructure(exceeded));
  const last = isUtf8 ? tryDecode(decoder, new Uint8Array(0), false) : null;
  return last === null ? err(NOT_UTF8) : ok({ text: text + last, bytes });
}

const SMALL_BYTES = 256 * 1024;

function readSmall(body: Uint8Array): Result<{ readonly text: string; readonly bytes: number }, Refusal> {
  const exceeded = new JsonMeter(STRUCTURE).addBytes(body);
  if (exceeded !== null) return err(tooMuchStructure(exceeded));
  const text = tryDecode(new TextDecoder('utf-8', { fatal: true }), body, false);
  return text === null ? err(NOT_UTF8) : ok({ text, bytes: body.byteLength });
}

// A prompt with replacement characters in it would be another one than was sent.
const NOT_UTF8 = refusal('bad-json', 'The body is not valid JSON: its bytes are not UTF-8.');

/** @returns null for bytes that are no UTF-8 */
function tryDecode(decoder: InstanceType<typeof TextDecoder>, bytes: Uint8Array, stream: boolean): string | null {
  try {
    return decoder.decode(bytes, { stream });
  } catch {
    return null;
  }
}

function tooMuchStructure(exceeded: keyof typeof STRUCTURE): Refusal {
  return exceeded === 'levels'
    ? refusal('bad-body', `The body is nested deeper than ${STRUCTURE.levels} levels.`)
    : refusal('bad-body', `The body has more than ${STRUCTURE.values} values: send fewer.`);
}
