import type { Status, Trouble } from '../../shared/wire/rl';
import type { BackendStatus } from '../backends/backend';

export interface ReadStatusPorts {
  readonly experiment: string;
  readonly trial: string;
  readonly dumpDir: () => string;
  readonly engine: () => BackendStatus;
  readonly trainedVersion: () => number;
  readonly trainer: () => Status['trainer'];
  readonly batch: () => Status['batch'];
  readonly model: Status['model'];
  readonly setAside: () => NonNullable<Status['set_aside']>;
  readonly capacity: () => NonNullable<Status['capacity']>;
  /** lines of trouble other than the engine's */
  readonly trouble: () => readonly Trouble[];
}

/** The four facts of the status bar, read now. */
export function readStatus(ports: ReadStatusPorts): Status {
  const engine = ports.engine();
  return {
    experiment: ports.experiment,
    trial: ports.trial,
    dump_dir: ports.dumpDir(),
    served_version: engine.servedVersion,
    trained_version: ports.trainedVersion(),
    engine: { state: engine.state, detail: engine.detail, name: engine.name, running: engine.running },
    trainer: ports.trainer(),
    batch: ports.batch(),
    model: { ...ports.model, context_length: engine.contextLength ?? ports.model.context_length },
    trouble: [...engineTrouble(engine), ...ports.trouble()],
    capacity: ports.capacity(),
    set_aside: ports.setAside(),
  };
}

function engineTrouble(engine: BackendStatus): Trouble[] {
  if (engine.state !== 'failed') return [];
  return [
    {
      kind: 'engine-failed',
      message: engine.detail ?? 'The inference engine does not answer as it should.',
      advice: 'Restart the engine on the Training screen. Ratings are safe; nothing is lost meanwhile.',
    },
  ];
}
