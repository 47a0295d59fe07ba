import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { type Clients, useClients } from '../../data/clients';
import { pauseFor } from '../../data/event-stream';
import { createDraftWriter, type DraftWriter, draftKeys, giveBack } from './drafts';
import { createRater, type Rater } from './rater';
import { createSender, type Sender } from './sender';

export interface RateServices {
  readonly drafts: DraftWriter;
  readonly sender: Sender;
  readonly rater: Rater;
}

/** An engine may send several hundred tokens a second; a person sees some thirty pictures. */
const frameMs = 33;

// One set per pair of doors, kept outside React: answers and ratings go on while another screen is shown.
const known = new WeakMap<Clients, RateServices>();

export function rateServices(clients: Clients, queryClient: QueryClient): RateServices {
  const made = known.get(clients);
  if (made !== undefined) return made;
  const drafts = createDraftWriter(clients, (run) => setTimeout(run, 250));
  const services: RateServices = {
    drafts,
    rater: createRater({ clients, queryClient, drafts }),
    sender: createSender({
      clients,
      queryClient,
      pause: pauseFor,
      schedule: (run) => setTimeout(run, frameMs),
      onUnanswered: ({ taskId }) => giveBack(taskId, drafts),
      onAccepted: ({ taskId }) => drafts.write(draftKeys.pending(taskId), '', true),
    }),
  };
  known.set(clients, services);
  // The last words typed before the window closes.
  window.addEventListener('pagehide', drafts.flush);
  return services;
}

export function useRateServices(): RateServices {
  return rateServices(useClients(), useQueryClient());
}
