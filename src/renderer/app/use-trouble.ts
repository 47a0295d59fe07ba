import { useQuery } from '@tanstack/react-query';
import { useClients } from '../data/clients';
import { problemOf } from '../data/gateway-problem';
import { addressQuery, useProcesses, useStatus } from '../data/shared-queries';
import { useText } from '../i18n/text';
import { collectTrouble, type TroubleLine } from './trouble';

export function useTrouble(): TroubleLine[] {
  const text = useText();
  const status = useStatus();
  const address = useQuery(addressQuery(useClients()));
  const processes = useProcesses();
  return collectTrouble(
    {
      gateway: status.data?.trouble ?? [],
      studio: address.data?.trouble ?? [],
      processes: processes.data ?? [],
      lost: status.isError ? problemOf(status.error) : null,
    },
    text,
  );
}
