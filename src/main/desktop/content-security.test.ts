import { describe, expect, it } from 'vitest';
import { isOwnPage, SECURITY_HEADERS } from './content-security';

describe('isOwnPage', () => {
  const dev = 'http://localhost:5173';
  it.each([
    ['app://plaudit/index.html', null, true],
    ['app://plaudit/index.html#/rate', null, true],
    ['app://plaudit.evil/index.html', null, false],
    ['app://evil/index.html', null, false],
    ['https://plaudit/index.html', null, false],
    ['file:///etc/passwd', null, false],
    ['data:text/html,x', null, false],
    ['about:blank', null, false],
    ['', null, false],
    ['http://localhost:5173/x', dev, true],
    ['http://localhost:5173/x', null, false],
    ['http://localhost:51733/x', dev, false],
    ['http://user@localhost:5173/x', dev, true],
    ['http://localhost:5173@evil/x', dev, false],
  ])('%s with development server %s: %s', (url, devServerUrl, own) => {
    expect(isOwnPage(url, devServerUrl)).toBe(own);
  });
});

describe('SECURITY_HEADERS', () => {
  it('lets no script in but our own files', () => {
    const policy = SECURITY_HEADERS['content-security-policy'] ?? '';
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline| \*/);
  });
});
