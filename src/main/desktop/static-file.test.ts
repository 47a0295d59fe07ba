import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveStaticFile } from './static-file';

describe('serveStaticFile', () => {
  let folder: string;
  let root: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'static-'));
    root = join(folder, 'renderer');
    mkdirSync(join(root, 'assets'), { recursive: true });
    mkdirSync(join(folder, 'renderer-secret'));
    writeFileSync(join(root, 'index.html'), '<p>');
    writeFileSync(join(root, 'assets', 'a b.js'), '1');
    writeFileSync(join(folder, 'secret.txt'), 'secret');
    writeFileSync(join(folder, 'renderer-secret', 'x'), 'secret');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['/', 200, 'text/html; charset=utf-8'],
    ['/index.html?x#y', 200, 'text/html; charset=utf-8'],
    ['/assets/a%20b.js', 200, 'text/javascript; charset=utf-8'],
    ['/missing.js', 404, null],
    ['/assets', 404, null],
    ['/../secret.txt', 404, null],
    ['/..%2fsecret.txt', 404, null],
    ['/assets/..%2f..%2fsecret.txt', 404, null],
    ['/..%2frenderer-secret/x', 404, null],
    ['/%2e%2e/%2e%2e/etc/passwd', 404, null],
    ['/%00', 404, null],
    ['/%', 404, null],
  ])('answers %s with %i', async (path, status, type) => {
    const reply = await serveStaticFile(root, `app://plaudit${path}`);
    expect(reply.status).toBe(status);
    expect(await reply.text()).not.toContain('secret');
    if (type !== null) expect(reply.headers.get('content-type')).toBe(type);
    expect(reply.headers.get('content-security-policy')).toContain("default-src 'self'");
  });
});
