import { protocol } from 'electron';
import { APP_SCHEME } from './content-security';
import { serveStaticFile } from './static-file';

/** Before `ready`: makes `app:` a standard, secure scheme, so that the page has an origin, storage and workers. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: APP_SCHEME,
      privileges: { standard: true, secure: true, supportFetchAPI: true, corsEnabled: true, stream: true },
    },
  ]);
}

/** After `ready`: serves the built page. */
export function handleAppScheme(rendererDir: string): void {
  protocol.handle(APP_SCHEME, (request) => serveStaticFile(rendererDir, request.url));
}
