import { describe, expect, it } from 'vitest';
import { DatabaseError, toDatabaseError } from './database-error';

describe('toDatabaseError', () => {
  it.each([
    ['SQLITE_FULL', 'disk-full', /is full/],
    ['ENOSPC', 'disk-full', /is full/],
    ['EDQUOT', 'disk-full', /is full/],
    ['SQLITE_READONLY_DIRECTORY', 'read-only', /cannot be written/],
    ['EROFS', 'read-only', /cannot be written/],
    ['EACCES', 'read-only', /cannot be written/],
    ['ENOENT', 'unavailable', /refused: what it said/],
  ] as const)('takes %s for %s', (code, kind, message) => {
    const error = toDatabaseError(Object.assign(new Error('what it said'), { code }), '/data/plaudit.db');
    expect(error).toBeInstanceOf(DatabaseError);
    expect(error).toMatchObject({ kind, message: expect.stringMatching(message) });
  });

  it('lets a fault of the program through', () => {
    const fault = new TypeError('x is not a function');
    expect(toDatabaseError(fault, '/data/plaudit.db')).toBe(fault);
  });
});
