/** The page's origin. A scheme of its own has an origin that gateway and IPC can tell from every web site's. */
export const APP_SCHEME = 'app';
export const APP_ORIGIN = 'app://plaudit';

const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "worker-src 'self'",
  // Monaco and the component kit write style elements.
  "style-src 'self' 'unsafe-inline'",
  "font-src 'self' data:",
  "img-src 'self' data: blob:",
  // The gateway's port is chosen at start; it is always on loopback.
  "connect-src 'self' http://127.0.0.1:*",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sent with every file of the page. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

/** True for the app's own page, and for the development server when there is one. */
export function isOwnPage(url: string, devServerUrl: string | null): boolean {
  const origin = originOf(url);
  return origin !== null && (origin === APP_ORIGIN || (devServerUrl !== null && origin === originOf(devServerUrl)));
}

/** `URL.origin` is the text "null" for schemes that Node does not know, ours among them. */
export function originOf(url: string): string | null {
  try {
    const { protocol, host } = new URL(url);
    return host === '' ? null : `${protocol}//${host}`;
  } catch {
    return null;
  }
}
