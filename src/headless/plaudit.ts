import { surviveClosedOutput } from '../studio/quiet-output';
import { runPlaudit } from './run-plaudit';

surviveClosedOutput();

// The exit code is set, not forced, so that what was printed is also written.
void runPlaudit(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
