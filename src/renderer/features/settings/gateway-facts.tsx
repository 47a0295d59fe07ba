import { Button, CopyButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useClients } from '../../data/clients';
import { addressQuery } from '../../data/shared-queries';
import { useText } from '../../i18n/text';
import classes from './settings.module.css';

/** Where a program outside the window reaches the gateway now. The key itself is never shown, only where it lies. */
export function GatewayFacts() {
  const text = useText().settings.gateway;
  const { data: address } = useQuery(addressQuery(useClients()));
  const url = address?.url ?? null;
  return (
    <div data-testid="settings-gateway">
      <dl className={classes.folders}>
        <Copied name={text.baseUrl} action={text.copyBaseUrl} value={url === null ? null : `${url}/v1`} />
        <Copied name={text.keyFile} action={text.copyKeyFile} value={address?.tokenPath ?? null} />
      </dl>
      <p className={classes.quiet}>{url === null ? text.closed : text.help}</p>
    </div>
  );
}

interface CopiedProps {
  readonly name: string;
  /** what the button does, for those who do not see what it stands beside */
  readonly action: string;
  readonly value: string | null;
}

function Copied({ name, action, value }: CopiedProps) {
  const text = useText().settings.gateway;
  return (
    <div className={classes.folder}>
      <dt>{name}</dt>
      <dd>{value ?? '–'}</dd>
      {value !== null && (
        <CopyButton value={value} timeout={1500}>
          {({ copied, copy }) => (
            <Button size="compact-xs" aria-label={copied ? text.copied : action} onClick={copy}>
              {copied ? text.copied : text.copy}
            </Button>
          )}
        </CopyButton>
      )}
    </div>
  );
}
