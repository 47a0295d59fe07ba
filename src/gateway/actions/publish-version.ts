import type { Trouble } from '../../shared/wire/rl';
import type { Backend } from '../backends/backend';
import type { Clock } from '../platform/clock';
import type { EventHub } from '../platform/event-hub';
import type { Logger } from '../platform/logger';
import type { StoredVersion, VersionStore } from '../store/versions';

export interface PublishPorts {
  readonly backend: Backend;
  readonly versions: VersionStore;
  readonly clock: Clock;
  readonly events: EventHub;
  readonly logger: Logger;
  /** absolute folder of a committed version's weights */
  readonly weightsPath: (path: string) => string;
  /** why a folder cannot be loaded, or null when it is whole */
  readonly damageOf: (path: string) => Promise<string | null>;
}

/** Milliseconds before a refused version is offered again; after the last one it waits for a change of engine or version. */
export const PUBLISH_RETRY_MS = [1000, 3000, 10_000, 30_000] as const;

/**
 * Makes the engine serve the newest committed version: the only place where the served version moves.
 *
 * The counter moves only after the engine has been asked and says the new number; until then the old weights answer.
 * One call at a time; whoever calls again after a change is enough.
 */
export class VersionPublisher {
  #refusals = 0;
  #retryAt = 0;
  #refusedVersion: number | null = null;
  #refusedEngine: string | null = null;
  #trouble: Trouble | null = null;

  constructor(private readonly ports: PublishPorts) {}

  get trouble(): Trouble | null {
    return this.#trouble;
  }

  /** @returns the version that this call brought into service, or null */
  async publish(): Promise<number | null> {
    const { backend, versions, clock } = this.ports;
    const newest = versions.newest();
    const status = backend.status();
    if (newest === null || status.state !== 'serving') return null;
    if (newest.version === 0) {
      // Nothing was published: the engine was started with it.
      if (status.servedVersion === 0 && newest.servedAt === null) versions.markServed(newest, clock.now());
      return null;
    }
    if (status.servedVersion === newest.version && !this.#isSuperseded(newest)) return this.#served(newest);
    // An engine that serves more than we know was fed by a run folder we have not read yet; versions never go down.
    if (status.servedVersion !== null && status.servedVersion > newest.version) return null;
    if (!this.#mayTry(newest.version, status.name)) return null;

    const path = this.ports.weightsPath(newest.path);
    const damage = await this.ports.damageOf(path);
    if (damage !== null) return this.#refused(newest.version, status.name, damage);
    const outcome = await backend.publish({ path, version: newest.version });
    switch (outcome.kind) {
      case 'served':
        return this.#served(newest);
      case 'refused':
        return this.#refused(newest.version, status.name, outcome.message);
      case 'unavailable':
        this.#retryAt = clock.now() + (PUBLISH_RETRY_MS[0] ?? 0);
        return null;
    }
  }

  #mayTry(version: number, engine: string | null): boolean {
    if (this.#refusedVersion !== version || this.#refusedEngine !== engine) {
      this.#refusals = 0;
      this.#retryAt = 0;
    }
    return this.#refusals <= PUBLISH_RETRY_MS.length && this.ports.clock.now() >= this.#retryAt;
  }

  /**
   * The same version, made again after damage to the training state: other bits under the same number.
   *
   * Tokens keep their version, because both were trained from the same batches; but what is trained next starts from the new bits.
   */
  #isSuperseded({ version, incarnation }: StoredVersion): boolean {
    const served = this.ports.versions.servedIncarnation(version);
    return served !== null && served < incarnation;
  }

  #served(served: StoredVersion): number | null {
    const { version } = served;
    const { versions, clock, events, logger } = this.ports;
    this.#refusals = 0;
    this.#trouble = null;
    if (!versions.markServed(served, clock.now())) return null;
    logger.log('info', 'version-served', { version });
    events.publish({ kind: 'version-serve', version });
    return version;
  }

  #refused(version: number, engine: string | null, message: string): null {
    const wait = PUBLISH_RETRY_MS[this.#refusals];
    this.#refusals += 1;
    this.#refusedVersion = version;
    this.#refusedEngine = engine;
    this.#retryAt = this.ports.clock.now() + (wait ?? 0);
    this.#trouble = {
      kind: 'publish-refused',
      message: `Version ${version} could not be put into service: ${message}. The version before it still answers.`,
      advice:
        wait === undefined
          ? 'Restart the engine on the Training screen to try once more; the ratings are trained and safe.'
          : `It is tried again in ${Math.round(wait / 1000)} s.`,
    };
    this.ports.logger.log('warn', 'version-refused', { version, error: message });
    this.ports.events.publish({ kind: 'trouble-change' });
    return null;
  }
}
