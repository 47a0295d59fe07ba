import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { IpcRequest } from '../../../shared/ipc/contract';
import { formatCount } from '../../components/number-format';
import { useClients } from '../../data/clients';
import { appInfoQuery, useStatus } from '../../data/shared-queries';
import { useText } from '../../i18n/text';
import classes from './settings.module.css';

type Folder = IpcRequest<'path-show'>['what'];

/** The model that answers, and how large it is. */
export function ModelCard() {
  const text = useText().settings.model;
  const { data: status } = useStatus();
  if (status === undefined) return <p className={classes.quiet}>{text.unknown}</p>;
  const { name, parameters, context_length: context, is_demo: isDemo } = status.model;
  return (
    <div data-testid="settings-model">
      <dl className={classes.facts}>
        <Fact name={text.name}>{name}</Fact>
        <Fact name={text.parameters}>{formatCount(parameters)}</Fact>
        <Fact name={text.context}>{text.tokens(formatCount(context))}</Fact>
      </dl>
      {isDemo && <p className={classes.quiet}>{text.demo}</p>}
    </div>
  );
}

/** Where things lie on this machine. */
export function FoldersCard() {
  const text = useText().settings.folders;
  const { desktop } = useClients();
  const { data: info } = useQuery(appInfoQuery(useClients()));
  const { data: status } = useStatus();
  const show = useMutation({ mutationFn: (what: Folder) => desktop.invoke('path-show', { what }) });
  const folders: readonly (readonly [Folder, string, string | undefined])[] = [
    ['data', text.data, info?.dataDir],
    ['dump', text.dump, status?.dump_dir],
    ['logs', text.logs, text.inside],
  ];
  return (
    <>
      <dl className={classes.folders}>
        {folders.map(([what, name, path]) => (
          <div key={what} className={classes.folder}>
            <dt>{name}</dt>
            <dd>{path ?? '–'}</dd>
            <Button size="compact-xs" data-testid={`settings-show-${what}`} onClick={() => show.mutate(what)}>
              {text.show}
            </Button>
          </div>
        ))}
      </dl>
      {show.isError && (
        <p role="alert" className={classes.failure}>
          {text.failed(show.error.message)}
        </p>
      )}
    </>
  );
}

/** Versions to name in a report of trouble. */
export function AboutCard() {
  const text = useText().settings.about;
  const { data: info } = useQuery(appInfoQuery(useClients()));
  if (info === undefined) return null;
  return (
    <dl className={classes.facts} data-testid="settings-about">
      <Fact name={text.version}>{info.version}</Fact>
      <Fact name={text.electron}>{info.electron}</Fact>
      <Fact name={text.chrome}>{info.chrome}</Fact>
      <Fact name={text.node}>{info.node}</Fact>
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
