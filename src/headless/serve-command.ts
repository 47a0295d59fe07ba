import { join } from 'node:path';
import type { StudioLog } from '../studio/gateway-handle';
import { type Studio, startStudio } from '../studio/studio';
import { type Command, EXIT_OK } from './command';
import { parseServeOptions, SERVE_HELP } from './serve-options';

/** The studio without a window, until a signal ends it. */
export const serveCommand: Command = {
  name: 'serve',
  summary: 'the gateway with its engine and trainer, without a window',
  async run(args) {
    // Bundled to out/programs/plaudit.cjs: the other programs lie beside it, the assets two folders up.
    const demoModelPath = join(__dirname, '..', '..', 'assets', 'demo-model');
    const options = parseServeOptions(args, process.env, demoModelPath);
    if (options === null) {
      process.stdout.write(SERVE_HELP);
      return EXIT_OK;
    }
    const interrupted = whenInterrupted();
    const studio = await startStudio({
      ...options,
      programsDir: __dirname,
      isDemoModel: options.modelPath === demoModelPath,
      log: stderrLog(options.verbose),
    });
    announce(studio, options.dataDir);
    const signalName = await interrupted;
    say(`${signalName}: saving and stopping …`);
    await studio.stop();
    say('Stopped.');
    return EXIT_OK;
  },
};

function announce(studio: Studio, dataDir: string): void {
  say(`Plaudit answers at ${studio.gateway.url}`);
  say(`Admin key: ${studio.gateway.adminKeyPath}`);
  say(`Data: ${dataDir}`);
  const told = new Set<string>();
  studio.subscribe((event) => {
    if (event.kind === 'trouble') {
      const kinds = new Set(event.trouble.map((trouble) => trouble.kind));
      for (const kind of told) if (!kinds.has(kind)) told.delete(kind);
      for (const trouble of event.trouble) {
        if (told.has(trouble.kind)) continue;
        told.add(trouble.kind);
        process.stderr.write(`${trouble.message} ${trouble.advice}\n`);
      }
      return;
    }
    const { name, state, detail } = event.process;
    if (state === 'ready') say(`The ${name} is ready.`);
    else if (state === 'starting' && detail !== null) say(detail);
  });
}

/** The first signal asks for an orderly stop; a second one ends at once (the children see our end and follow). */
function whenInterrupted(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = false;
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => {
        if (asked) process.exit(130);
        asked = true;
        resolve(name);
      });
    }
  });
}

function stderrLog(verbose: boolean): StudioLog {
  return (level, event, fields) => {
    // What everybody must see, whatever they asked for.
    if (!verbose && level !== 'error' && event !== 'gateway-exposed') return;
    process.stderr.write(`${JSON.stringify({ at: new Date().toISOString(), level, event, ...fields })}\n`);
  };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
