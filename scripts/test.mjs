// npm test: everything. Sets the machine up (apt packages as root, an Electron runtime), builds, checks, runs the unit tests
// and, in a real window under a display server of its own, the end-to-end tests. The last line is `N passed, N failed`:
// the true totals over all suites, each check counted as one test.
//   node scripts/test.mjs [--quick]     --quick: no set-up of the machine, no end-to-end tests (npm run check)
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { ElectronProblem, ensureElectron } from './ensure-electron.mjs';
import { installMissing } from './system-libraries.mjs';

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const reports = join(repository, '.cache', 'test-reports');
const isQuick = process.argv.includes('--quick');
const bin = (path) => join(repository, 'node_modules', path);

/** @type {{ suite: string, passed: number, failed: number }[]} */
const results = [];
const record = (suite, passed, failed) => results.push({ suite, passed, failed });
const say = (line) => console.log(line);

function run(command, args, env = {}) {
  const { status, signal } = spawnSync(command, args, {
    cwd: repository,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return status === 0 && signal === null;
}

function check(name, command, args) {
  say(`\n── ${name}`);
  const isGood = run(command, args);
  record(name, isGood ? 1 : 0, isGood ? 0 : 1);
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** A suite that wrote no report, ran nothing, or ended badly without a failed test, is itself a failure. */
function recordSuite(suite, isGood, counts) {
  if (counts === null || counts.passed + counts.failed === 0) return record(suite, 0, 1);
  record(suite, counts.passed, isGood ? counts.failed : Math.max(counts.failed, 1));
}

function unitTests() {
  say('\n── unit tests');
  const path = join(reports, 'vitest.json');
  const isGood = run(
    process.execPath,
    [bin('vitest/vitest.mjs'), 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${path}`],
    isQuick ? {} : { PLAUDIT_KILLS: '200' },
  );
  const report = readReport(path);
  // A file that does not even load has no tests in it; it is counted as one that failed.
  const brokenFiles = report?.testResults?.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  recordSuite(
    'unit tests',
    isGood,
    report === null ? null : { passed: report.numPassedTests, failed: report.numFailedTests + brokenFiles.length },
  );
}

async function endToEndTests() {
  say('\n── end-to-end tests');
  const path = join(reports, 'playwright.json');
  await withDisplay((display) => {
    const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: path, ...(display === null ? {} : { DISPLAY: display }) };
    const isGood = run(process.execPath, [bin('@playwright/test/cli.js'), 'test'], env);
    const stats = readReport(path)?.stats;
    const counts = stats === undefined ? null : { passed: stats.expected + stats.flaky, failed: stats.unexpected };
    recordSuite('end-to-end tests', isGood, counts);
  });
}

/** A display server of our own, ended by its own id; on a system without Xvfb the display that is there. */
async function withDisplay(work) {
  if (process.platform !== 'linux' || !existsSync('/usr/bin/Xvfb')) return work(null);
  const server = spawn('/usr/bin/Xvfb', ['-displayfd', '3', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  try {
    const number = await new Promise((resolve, reject) => {
      server.once('error', reject);
      server.once('exit', () => reject(new Error('Xvfb ended')));
      server.stdio[3].once('data', (data) => resolve(String(data).trim()));
    });
    await work(`:${number}`);
  } finally {
    server.removeAllListeners('exit');
    server.kill();
  }
}

function summary() {
  say('\n── summary');
  for (const { suite, passed, failed } of results)
    say(`${failed === 0 ? '✓' : '✗'} ${suite}: ${passed} passed, ${failed} failed`);
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
  say(`${passed} passed, ${failed} failed`);
}

async function prepareElectron() {
  try {
    const { version } = await ensureElectron(say);
    say(`Electron ${version}`);
    return true;
  } catch (error) {
    if (!(error instanceof ElectronProblem)) throw error;
    say(error.message);
    return false;
  }
}

rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });
const hasLibraries = isQuick || process.platform !== 'linux' || installMissing(say);
if (!isQuick) {
  const isReady = (await prepareElectron()) && build({ say });
  record('build', isReady ? 1 : 0, isReady ? 0 : 1);
}
check('types', process.execPath, [bin('typescript/bin/tsc'), '-b']);
check('types of the tests', process.execPath, [bin('typescript/bin/tsc'), '-p', 'tsconfig.tests.json']);
check('lint and format', process.execPath, [bin('@biomejs/biome/bin/biome'), 'ci', '--error-on-warnings']);
check('boundaries', process.execPath, ['scripts/boundaries.mjs']);
unitTests();
if (!isQuick) {
  if (
    !existsSync(join(repository, 'e2e')) ||
    !readdirSync(join(repository, 'e2e')).some((name) => name.endsWith('.spec.ts'))
  ) {
    record('end-to-end tests', 0, 1);
  } else await endToEndTests();
  if (!hasLibraries)
    say('\nSome system packages were missing (see above): end-to-end tests may have failed because of that.');
}
summary();
