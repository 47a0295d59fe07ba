import { MantineProvider } from '@mantine/core';
import { useColorScheme as useSystemScheme } from '@mantine/hooks';
import { type QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { type Clients, ClientsProvider, useClients } from '../data/clients';
import { appInfoQuery, useSettings } from '../data/shared-queries';
import { type Language, TextProvider } from '../i18n/text';
import { cssVariablesResolver, theme } from '../theme/theme';
import { rememberScheme } from './first-scheme';
import { startLive } from './live';

interface Props {
  readonly clients: Clients;
  readonly queryClient: QueryClient;
  readonly children: ReactNode;
}

/** All that the screens stand on: server data, the two doors, words and theme. */
export function Providers({ clients, queryClient, children }: Props) {
  useEffect(() => startLive(clients, queryClient), [clients, queryClient]);
  return (
    <QueryClientProvider client={queryClient}>
      <ClientsProvider clients={clients}>
        <Appearance>{children}</Appearance>
      </ClientsProvider>
    </QueryClientProvider>
  );
}

function Appearance({ children }: { readonly children: ReactNode }) {
  const settings = useSettings();
  const systemScheme = useSystemScheme('light', { getInitialValueInEffect: false });
  const scheme = settings.theme === 'system' ? systemScheme : settings.theme;
  const language = useChosenLanguage(settings.language);
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  }, [language]);
  useEffect(() => rememberScheme(settings.theme), [settings.theme]);
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariablesResolver} forceColorScheme={scheme}>
      <TextProvider language={language}>{children}</TextProvider>
    </MantineProvider>
  );
}

function useChosenLanguage(setting: 'system' | Language): Language {
  const info = useQuery(appInfoQuery(useClients())).data;
  if (setting !== 'system') return setting;
  return info?.systemLanguage ?? (navigator.language.startsWith('zh') ? 'zh' : 'en');
}
