// electron-builder hook: the stand-in for Electron's own start page is for development and must not be shipped.
import { rmSync } from 'node:fs';
import { join } from 'node:path';

export default function afterPack({ appOutDir }) {
  rmSync(join(appOutDir, 'resources', 'default_app.asar'), { force: true });
}
