import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SCRIPTS = fileURLToPath(new URL('./python/', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../.cache/', import.meta.url));
// The whole proof must stay under a minute and a half; a slower index is a reason to skip.
const INSTALL_MS = 75_000;
/** Of one script: mostly the imports of its library. */
export const SCRIPT_MS = 110_000;

/** A Python in which the stock clients are installed. */
export interface PythonClients {
  /** Runs one script of `testing/python` against a gateway. @returns what it reported */
  run(script: string, gateway: { readonly url: string; readonly key: string }): Promise<Record<string, unknown>>;
}

/** Makes the environment once and keeps it; a sentence instead when this machine cannot. */
export async function preparePythonClients(): Promise<PythonClients | string> {
  const requirements = readFileSync(join(SCRIPTS, 'requirements.txt'), 'utf8');
  const folder = join(CACHE, 'python-clients');
  const stamp = join(folder, 'installed.txt');
  const python = process.platform === 'win32' ? join(folder, 'Scripts', 'python.exe') : join(folder, 'bin', 'python');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== requirements) {
    try {
      mkdirSync(CACHE, { recursive: true });
      rmSync(folder, { recursive: true, force: true });
      await run('python3', ['-m', 'venv', folder], { timeout: INSTALL_MS });
      const arguments_ = ['-m', 'pip', 'install', '--quiet', '-r', join(SCRIPTS, 'requirements.txt')];
      await run(python, arguments_, { timeout: INSTALL_MS });
      writeFileSync(stamp, requirements);
    } catch (error) {
      const { stderr, message } = error as { stderr?: string; message: string }; // what execFile rejects with
      return `Python clients cannot be installed here: ${(stderr || message).trim().split('\n').pop()}`;
    }
  }
  return {
    run: async (script, { url, key }) => {
      const env = {
        ...process.env,
        PLAUDIT_URL: url,
        PLAUDIT_SESSION_KEY: key,
        PYTHONDONTWRITEBYTECODE: '1',
        PYTHONIOENCODING: 'utf-8',
        NO_PROXY: '127.0.0.1',
      };
      const { stdout } = await run(python, [join(SCRIPTS, script)], { env, timeout: SCRIPT_MS });
      return JSON.parse(stdout) as Record<string, unknown>; // report() writes an object
    },
  };
}
