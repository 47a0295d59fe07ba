import { useQuery } from '@tanstack/react-query';
import { useClients } from '../data/clients';
import { problemOf } from '../data/gateway-problem';
import { addressQuery, useProcesses, useStatus } from '../data/shared-queries';
import { problemWords, reasonWords, troubleWords } from '../i18n/reason-words';
import { useLanguage, useText } from '../i18n/text';
import { collectTrouble, type TroubleLine } from './trouble';

export function useTrouble(): TroubleLine[] {
  const text = useText();
  const language = useLanguage();
  const status = useStatus();
  const address = useQuery(addressQuery(useClients()));
  const processes = useProcesses();
  const lost = status.isError ? problemOf(status.error) : null;
  return collectTrouble(
    {
      gateway: (status.data?.trouble ?? []).map((line) => troubleWords(line, language)),
      studio: (address.data?.trouble ?? []).map((line) => troubleWords(line, language)),
      processes: (processes.data ?? []).map((process) =>
        process.detail === null ? process : { ...process, detail: reasonWords(process.detail, language) },
      ),
      lost: lost === null ? null : { ...lost, message: problemWords(lost, language) },
    },
    text,
  );
}
