// What Electron needs of a Debian or Ubuntu system, and how to get it.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const PACKAGES = [
  'xvfb',
  'xauth',
  'dbus',
  'libgtk-3-0',
  'libnss3',
  'libasound2',
  'libgbm1',
  'libxss1',
  'libnotify4',
  'libsecret-1-0',
  'libxtst6',
  'libatspi2.0-0',
  'libdrm2',
  'libxkbcommon0',
  'fonts-dejavu-core',
  'fonts-liberation',
];

export const isAptSystem = () => process.platform === 'linux' && existsSync('/usr/bin/apt-get');

/** Newer releases carry some of them under a name that ends in t64. */
function installableName(name) {
  const policy = spawnSync('apt-cache', ['policy', name], { encoding: 'utf8' }).stdout ?? '';
  if (/Candidate: (?!\(none\))/.test(policy)) return name;
  const renamed = spawnSync('apt-cache', ['policy', `${name}t64`], { encoding: 'utf8' }).stdout ?? '';
  return /Candidate: (?!\(none\))/.test(renamed) ? `${name}t64` : name;
}

/** Packages of the set that are not installed. */
export function missingPackages() {
  const status = existsSync('/var/lib/dpkg/status') ? readFileSync('/var/lib/dpkg/status', 'utf8') : '';
  const installed = new Set();
  for (const entry of status.split('\n\n')) {
    const name = /^Package: (.+)$/m.exec(entry)?.[1];
    if (name !== undefined && /^Status: .* installed$/m.test(entry)) installed.add(name);
  }
  return PACKAGES.filter((name) => !installed.has(name) && !installed.has(`${name}t64`));
}

export const aptLine = (packages) =>
  `apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')}`;

/** Installs what is missing; false when it cannot (no apt, not root, no network), after saying what to run. */
export function installMissing(say) {
  const missing = missingPackages();
  if (missing.length === 0) return true;
  if (!isAptSystem()) {
    say(`Not a Debian or Ubuntu system: install the equivalents of ${missing.join(', ')} by hand.`);
    return false;
  }
  if (process.getuid?.() !== 0) {
    say(`Some system packages are missing. As root, run:\n  ${aptLine(missing.map(installableName))}`);
    return false;
  }
  say(`installing ${missing.join(' ')}`);
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  spawnSync('apt-get', ['update'], options);
  const names = missing.map(installableName);
  const { status } = spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...names], options);
  if (status !== 0) say(`apt-get failed. Run:\n  ${aptLine(names)}`);
  return status === 0;
}

/** Shared libraries that the dynamic loader does not find for this executable. */
export function missingLibraries(executable) {
  const { stdout } = spawnSync('ldd', [executable], { encoding: 'utf8' });
  return [...(stdout ?? '').matchAll(/^\s*(\S+) => not found/gm)].map((match) => match[1]);
}

/** What to do about libraries that are missing. */
export function libraryAdvice(libraries) {
  const names = (isAptSystem() ? missingPackages() : PACKAGES).map((name) =>
    isAptSystem() ? installableName(name) : name,
  );
  return `Electron needs system libraries that are missing: ${libraries.join(', ')}.\nOn Debian or Ubuntu, as root, run:\n  ${aptLine(names)}`;
}
