// Checks the floors (.dependency-cruiser.cjs) over the whole of src, and that the whole of src was really looked at:
// a parser that does not understand the installed TypeScript sees no modules at all and finds nothing wrong.
//   node scripts/boundaries.mjs

import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cruise } from 'dependency-cruiser';

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
export const config = require('../.dependency-cruiser.cjs');

/** Everything under src that holds code. */
export function sourceFiles(root) {
  return readdirSync(join(root, 'src'), { recursive: true })
    .map((name) => `src/${String(name).replaceAll('\\', '/')}`)
    .filter((name) => /\.(ts|tsx|mts|cts|mjs|cjs|js)$/.test(name));
}

/**
 * @param {string} root folder that holds `src`
 * @returns {Promise<{ violations: { rule: string, from: string, to: string, comment: string }[], unseen: string[], modules: number }>}
 */
export async function checkBoundaries(root) {
  const { forbidden, options } = config;
  const { output } = await cruise(['src'], { ...options, ruleSet: { forbidden }, validate: true, baseDir: root });
  const comments = new Map(forbidden.map((rule) => [rule.name, rule.comment]));
  const seen = new Set(output.modules.map((module) => module.source));
  const unseen = sourceFiles(root).filter((file) => !seen.has(file));
  const violations = output.summary.violations.map((violation) => ({
    rule: violation.rule.name,
    from: violation.from,
    to: violation.to,
    comment: comments.get(violation.rule.name) ?? '',
  }));
  return { violations, unseen, modules: seen.size };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { violations, unseen, modules } = await checkBoundaries(repository);
  for (const { rule, from, to, comment } of violations) console.error(`${rule}: ${from} → ${to}\n  ${comment}`);
  if (unseen.length > 0) console.error(`not looked at (${unseen.length}): ${unseen.slice(0, 5).join(', ')} …`);
  console.log(`boundaries: ${modules} modules, ${config.forbidden.length} rules, ${violations.length} violations`);
  process.exitCode = violations.length > 0 || unseen.length > 0 ? 1 : 0;
}
