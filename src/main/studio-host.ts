import type { StudioTrouble } from '../shared/ipc/contract';
import type { Studio, StudioEvent } from '../studio/studio';
import { StudioError } from '../studio/studio-error';

/**
 * The studio as the window sees it: perhaps still starting, perhaps unable to.
 *
 * The window opens in any case; what went wrong is shown in it.
 */
export class StudioHost {
  readonly #started: Promise<Studio | null>;
  readonly #own: StudioTrouble[];
  #studio: Studio | null = null;

  /** @param known - trouble from before the start, like a damaged settings file */
  constructor(start: () => Promise<Studio>, known: readonly StudioTrouble[], onEvent: (event: StudioEvent) => void) {
    this.#own = [...known];
    this.#started = start().then(
      (studio) => {
        this.#studio = studio;
        studio.subscribe((event) => {
          onEvent(event.kind === 'trouble' ? { kind: 'trouble', trouble: this.trouble() } : event);
        });
        return studio;
      },
      (error: unknown) => {
        this.#own.push(toTrouble(error));
        onEvent({ kind: 'trouble', trouble: this.trouble() });
        return null;
      },
    );
  }

  /** Resolves when the start is decided; null when it failed, and then `trouble` says why. */
  started(): Promise<Studio | null> {
    return this.#started;
  }

  /** @throws Error with the reason when the studio could not start */
  async running(): Promise<Studio> {
    const studio = await this.#started;
    if (studio === null) throw new Error(this.#own.map((each) => each.message).join(' '));
    return studio;
  }

  trouble(): readonly StudioTrouble[] {
    return [...this.#own, ...(this.#studio?.trouble() ?? [])];
  }

  async stop(): Promise<void> {
    await (await this.#started)?.stop();
  }
}

function toTrouble(error: unknown): StudioTrouble {
  if (error instanceof StudioError) return { kind: error.kind, message: error.message, advice: error.advice };
  return {
    kind: 'studio-start',
    message: error instanceof Error ? error.message : String(error),
    advice: 'Restart Plaudit; if it happens again, the log in the data folder says more.',
  };
}
