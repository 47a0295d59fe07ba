import { ActionIcon, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { Hint } from '../components/hint';
import {
  BusyIcon,
  CheckIcon,
  DotIcon,
  ErrorIcon,
  HalfMoonIcon,
  MoonIcon,
  RingIcon,
  SunIcon,
  WarnIcon,
} from '../components/icons/icons';
import { openScreen } from '../components/navigation/navigation-store';
import { problemOf } from '../data/gateway-problem';
import { useProcesses, useSettings, useStatus, useWriteSettings } from '../data/shared-queries';
import { useText } from '../i18n/text';
import classes from './shell.module.css';
import { useShellStore } from './shell-store';
import { type Fact, servedFact, type Tone, trainerFact } from './status-facts';
import type { TroubleLine } from './trouble';

const toneIcons: Readonly<Record<Tone, ReactNode>> = {
  neutral: <DotIcon size={12} />,
  busy: <BusyIcon size={12} />,
  good: <DotIcon size={12} />,
  warn: <WarnIcon size={12} />,
  bad: <ErrorIcon size={12} />,
};

/** The four facts, each a button to its place; the same on every screen. */
export function StatusBar({ trouble }: { readonly trouble: readonly TroubleLine[] }) {
  const text = useText();
  const words = text.shell.status;
  const query = useStatus();
  const status = query.data;
  const known = {
    status,
    problem: query.isError ? problemOf(query.error) : null,
    processes: useProcesses().data ?? [],
  };
  const batch = status?.batch;
  const phase = status?.trainer.phase ?? null;
  return (
    <section className={classes.statusBar} aria-label={words.bar}>
      <span className={classes.trial}>
        {status === undefined ? 'Plaudit' : `${status.experiment} ▸ ${status.trial}`}
      </span>
      <span className={classes.spacer} />
      <FactButton id="served" fact={servedFact(known, text)} onClick={() => openScreen('runs')} />
      <Hint label={words.batchHint(batch?.open_rated ?? 0)}>
        <UnstyledButton
          className={classes.fact}
          data-testid="status-batch"
          onClick={() => openScreen('rate', 'receipts')}
        >
          <RingIcon size={12} fraction={batch === undefined ? 0 : batch.filled / batch.size} />
          <span>
            {batch === undefined ? words.batchUnknown : words.batch(batch.filled, batch.size, batch.open_rated)}
          </span>
        </UnstyledButton>
      </Hint>
      <FactButton
        id="trainer"
        fact={trainerFact(known, text)}
        hint={words.trainingHint(
          status?.trainer.batch_id ?? null,
          phase === null ? null : (text.runs.trainer.phases[phase] ?? phase),
        )}
        onClick={() => openScreen('runs')}
      />
      <UnstyledButton
        className={classes.fact}
        data-testid="status-trouble"
        data-tone={trouble.length === 0 ? 'good' : 'bad'}
        onClick={() => (trouble.length === 0 ? openScreen('runs') : useShellStore.setState({ hiddenTrouble: [] }))}
      >
        {trouble.length === 0 ? <CheckIcon size={12} /> : <WarnIcon size={12} />}
        <span>{trouble.length === 0 ? words.well : words.trouble(trouble.length)}</span>
      </UnstyledButton>
      <ThemeButton />
    </section>
  );
}

function FactButton({ id, fact, hint, onClick }: { id: string; fact: Fact; hint?: string; onClick: () => void }) {
  return (
    <Hint label={hint ?? fact.word}>
      <UnstyledButton className={classes.fact} data-testid={`status-${id}`} data-tone={fact.tone} onClick={onClick}>
        {toneIcons[fact.tone]}
        <span>{fact.word}</span>
      </UnstyledButton>
    </Hint>
  );
}

const themeIcons = { system: <HalfMoonIcon />, light: <SunIcon />, dark: <MoonIcon /> } as const;
export const nextTheme = { system: 'light', light: 'dark', dark: 'system' } as const;

function ThemeButton() {
  const text = useText().shell.theme;
  const { theme } = useSettings();
  const write = useWriteSettings();
  return (
    <Hint label={text[theme]}>
      <ActionIcon
        aria-label={text[theme]}
        data-testid="theme"
        onClick={() => write.mutate({ theme: nextTheme[theme] })}
      >
        {themeIcons[theme]}
      </ActionIcon>
    </Hint>
  );
}
