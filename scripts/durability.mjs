// Kills a gateway again and again and checks that nothing it acknowledged is lost, changed or trained twice:
//   npm run durability -- [kills] [seed]                1,000 kills when nothing is said
//   npm run durability -- --power-cut [cuts] [seed]     cuts the power of its disk instead (Linux, root, loop devices): 60 cuts
//                                                       on each file system there are tools for, first starts, and controls
import { spawn } from 'node:child_process';

const words = process.argv.slice(2);
const isPowerCut = words.includes('--power-cut');
const [times, seed = '1'] = words.filter((word) => !word.startsWith('--'));
const unknown = words.find((word) => word.startsWith('--') && word !== '--power-cut');

if (unknown !== undefined || [times, seed].some((word) => word !== undefined && !/^[1-9]\d*$/.test(word))) {
  console.error('usage: npm run durability -- [--power-cut] [times] [seed]');
  process.exitCode = 2;
} else {
  const file = isPowerCut ? 'power-cut.test.ts' : 'durability.test.ts';
  const wanted = isPowerCut ? { PLAUDIT_POWER_CUTS: times ?? '60' } : { PLAUDIT_KILLS: times ?? '1000' };
  const vitest = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', `src/gateway/testing/durability/${file}`],
    { stdio: 'inherit', env: { ...process.env, ...wanted, PLAUDIT_SEED: seed } },
  );
  vitest.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
