import { err, ok, type Result } from '../../shared/lib/result';
import { equalSecrets } from '../platform/random';
import { type Refusal, refusal } from '../platform/refusal';
import type { CallRequest } from './reply';

/** `Authorization: Bearer <token>` (prefix in any case) first, else `x-api-key`; null when neither is there. */
export function readToken(request: Pick<CallRequest, 'headers'>): string | null {
  const authorization = request.headers.get('authorization');
  const bearer = authorization === null ? null : /^bearer\s+(.*)$/i.exec(authorization)?.[1]?.trim();
  const token = bearer ?? request.headers.get('x-api-key')?.trim() ?? '';
  return token === '' ? null : token;
}

/** Whether the request carries the admin key; compared in constant time. */
export function isAdmin(request: Pick<CallRequest, 'headers'>, adminKey: string): boolean {
  const token = readToken(request);
  return token !== null && equalSecrets(token, adminKey);
}

/** As {@link requireAdmin}, with the statuses of AReaL's worker: 401 without a key, 403 with a wrong one. */
export function requireWorkerAdmin(request: Pick<CallRequest, 'headers'>, adminKey: string): Result<true, Refusal> {
  if (isAdmin(request, adminKey)) return ok(true);
  return err(
    readToken(request) === null
      ? refusal(
          'unauthorized',
          "Missing or malformed Authorization header. Expected 'Bearer <token>' or 'x-api-key: <token>'.",
        )
      : refusal('not-admin', 'Invalid admin API key.'),
  );
}

/** Refuses a request without the admin key. */
export function requireAdmin(request: Pick<CallRequest, 'headers'>, adminKey: string): Result<true, Refusal> {
  if (isAdmin(request, adminKey)) return ok(true);
  const found = readToken(request) === null ? 'no key was sent' : 'this is not the admin key';
  return err(
    refusal(
      'unauthorized',
      `Unauthorized: ${found}. Send 'Authorization: Bearer <admin key>'; the key is in the file admin-key of the data folder.`,
    ),
  );
}
