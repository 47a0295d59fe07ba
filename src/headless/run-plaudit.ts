import { StudioError } from '../studio/studio-error';
import { type Command, EXIT_FAILED, EXIT_OK, EXIT_USAGE, UsageError } from './command';
import { serveCommand } from './serve-command';

const COMMANDS: readonly Command[] = [serveCommand];

/** Runs one subcommand and turns every way of failing into a sentence on stderr and an exit code. */
export async function runPlaudit(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(overview());
    return name === undefined ? EXIT_USAGE : EXIT_OK;
  }
  const command = COMMANDS.find((each) => each.name === name);
  if (command === undefined) {
    process.stderr.write(`plaudit: there is no command "${name}".\n\n${overview()}`);
    return EXIT_USAGE;
  }
  try {
    return await command.run(rest);
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`plaudit ${name}: ${error.message}\nTry: plaudit ${name} --help\n`);
      return EXIT_USAGE;
    }
    if (error instanceof StudioError) {
      process.stderr.write(`plaudit ${name}: ${error.message}\n${error.advice}\n`);
      return EXIT_FAILED;
    }
    process.stderr.write(
      `plaudit ${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return EXIT_FAILED;
  }
}

function overview(): string {
  const rows = COMMANDS.map((command) => `  ${command.name.padEnd(10)}${command.summary}`);
  return `usage: plaudit <command> [options]\n\n${rows.join('\n')}\n\nplaudit <command> --help tells the options of a command.\n`;
}
