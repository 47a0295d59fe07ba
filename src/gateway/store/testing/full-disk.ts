import Libsql from 'libsql';
import { vi } from 'vitest';

/** From now on every transaction ends as on a full disk: rolled back, with SQLite's own error. @returns what makes room */
export function fillDisk(): () => void {
  const exec = Libsql.prototype.exec;
  const spy = vi.spyOn(Libsql.prototype, 'exec').mockImplementation(function (this: Libsql.Database, sql: string) {
    if (sql !== 'COMMIT') return exec.call(this, sql);
    exec.call(this, 'ROLLBACK');
    throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
  });
  return () => spy.mockRestore();
}
