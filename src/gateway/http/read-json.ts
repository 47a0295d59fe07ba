import type { z } from 'zod';
import { err, ok, type Result } from '../../shared/lib/result';
import { type Refusal, refusal } from '../platform/refusal';

/**
 * Reads and checks a JSON body; everything after this call trusts its type.
 *
 * Refuses a media type other than JSON (a web page can send any other without asking), a compressed body, a body over the
 * limit, broken JSON, and a body the schema does not accept. An empty body reads as `{}`.
 */
export async function readJson<S extends z.ZodType>(
  request: Request,
  schema: S,
  limitBytes: number,
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
  const text = await readText(request, limitBytes);
  if (!text.ok) return text;
  let value: unknown;
  try {
    value = text.value.trim() === '' ? {} : JSON.parse(text.value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return err(refusal('bad-json', `The body is not valid JSON: ${reason}.`));
  }
  if (isDeeperThan(value, MOST_LEVELS))
    return err(refusal('bad-body', `The body is nested deeper than ${MOST_LEVELS} levels.`));
  const parsed = schema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const issue = parsed.error.issues[0];
  const path = issue?.path.join('.') ?? '';
  return err(refusal('bad-body', `${path === '' ? 'body' : path}: ${issue?.message ?? 'is not valid'}.`, path));
}

/** Everything that walks a body later does so by recursion; no honest request comes near this. */
const MOST_LEVELS = 64;

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

async function readText(request: Request, limitBytes: number): Promise<Result<string, Refusal>> {
  const tooLarge = refusal('body-too-large', `The body is larger than the limit of ${limitBytes} bytes.`);
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) return err(tooLarge);
  if (request.body === null) return ok('');
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  const reader = request.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return ok(text + decoder.decode());
    size += value.byteLength;
    if (size > limitBytes) {
      await reader.cancel();
      return err(tooLarge);
    }
    text += decoder.decode(value, { stream: true });
  }
}
