import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import { SECURITY_HEADERS } from './content-security';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.wasm': 'application/wasm',
  '.map': 'application/json; charset=utf-8',
};

/** The file of the built page that a URL names, or 404; never one outside of `root`. */
export async function serveStaticFile(root: string, url: string): Promise<Response> {
  const path = resolveWithin(root, url);
  if (path === null) return new Response('Not found', { status: 404, headers: SECURITY_HEADERS });
  try {
    const bytes = await readFile(path);
    const type = TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
    return new Response(bytes, { headers: { ...SECURITY_HEADERS, 'content-type': type } });
  } catch {
    return new Response('Not found', { status: 404, headers: SECURITY_HEADERS });
  }
}

function resolveWithin(root: string, url: string): string | null {
  let pathname: string;
  try {
    pathname = decodeURIComponent(new URL(url).pathname);
  } catch {
    return null;
  }
  if (pathname.includes('\0')) return null;
  const path = normalize(join(root, pathname === '/' ? 'index.html' : pathname));
  return path.startsWith(normalize(root) + sep) ? path : null;
}
