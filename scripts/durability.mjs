// Kills a gateway again and again and checks that nothing it acknowledged is lost, changed or trained twice:
// `npm run durability -- [kills] [seed]`, 1,000 kills when nothing is said.
import { spawn } from 'node:child_process';

const [kills = '1000', seed = '1'] = process.argv.slice(2);
const vitest = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'src/gateway/testing/durability'], {
  stdio: 'inherit',
  env: { ...process.env, PLAUDIT_KILLS: kills, PLAUDIT_SEED: seed },
});
vitest.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
