import type { EngineLocator } from '../gateway/compose';
import type { SupervisedProcess } from '../supervisor/supervised-process';

/** Follows the supervised engine: its address changes with every restart, because it takes any free port. */
export function engineLocatorOf(engine: SupervisedProcess<'engine'>): EngineLocator {
  return {
    current() {
      const url = engine.address();
      return url === null ? null : { url, apiKey: null };
    },
    subscribe(listener) {
      let last = engine.address();
      return engine.subscribe((event) => {
        if (event.kind !== 'change' || engine.address() === last) return;
        last = engine.address();
        listener();
      });
    },
  };
}
