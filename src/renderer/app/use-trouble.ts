import { useQuery } from '@tanstack/react-query';
import { useClients } from '../data/clients';
import { problemOf } from '../data/gateway-problem';
import { addressQuery, useProcesses, useStatus } from '../data/shared-queries';
import { troubleWords } from '../i18n/reason-words';
import { useLanguage, useText } from '../i18n/text';
import { collectTrouble, type TroubleLine } from './trouble';

export function useTrouble(): TroubleLine[] {
  const text = useText();
  const language = useLanguage();
  const status = useStatus();
  const address = useQuery(addressQuery(useClients()));
  const processes = useProcesses();
  return collectTrouble(
    {
      gateway: (status.data?.trouble ?? []).map((line) => troubleWords(line, language)),
      studio: (address.data?.trouble ?? []).map((line) => troubleWords(line, language)),
      processes: processes.data ?? [],
      lost: status.isError ? problemOf(status.error) : null,
    },
    text,
  );
}
