import type { TrainerLink, TrainerLinkEvent } from '../gateway/compose';
import { trainerMessageSchema } from '../shared/wire/trainer';
import type { ProcessEvent, SupervisedProcess } from '../supervisor/supervised-process';

/** The trainer contract over the stdio of a supervised child: one JSON object a line, both ways. */
export function trainerStdioLink(
  trainer: SupervisedProcess<'trainer'>,
  onBadLine: (line: string, problem: string) => void,
): TrainerLink {
  return {
    send: (command) => trainer.writeLine(JSON.stringify(command)),
    subscribe: (listener) =>
      trainer.subscribe((event) => {
        const translated = translate(event, onBadLine);
        if (translated !== null) listener(translated);
      }),
  };
}

function translate(event: ProcessEvent, onBadLine: (line: string, problem: string) => void): TrainerLinkEvent | null {
  if (event.kind === 'exit') return { kind: 'gone', code: event.exit.code, signal: event.exit.signal };
  if (event.kind !== 'line' || event.stream !== 'stdout' || event.line.trim() === '') return null;
  let value: unknown;
  try {
    value = JSON.parse(event.line);
  } catch {
    onBadLine(event.line, 'not JSON');
    return null;
  }
  const parsed = trainerMessageSchema.safeParse(value);
  if (!parsed.success) {
    onBadLine(event.line, parsed.error.message);
    return null;
  }
  return { kind: 'message', message: parsed.data };
}
