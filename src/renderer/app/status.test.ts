import { describe, expect, it } from 'vitest';
import type { ProcessView } from '../../shared/ipc/contract';
import { en } from '../i18n/en';
import { statusOf } from '../testing/fake-wire';
import { servedFact, trainerFact } from './status-facts';
import { collectTrouble } from './trouble';

const process = (
  name: 'engine' | 'trainer',
  state: ProcessView['state'],
  detail: string | null = null,
): ProcessView => ({
  name,
  state,
  detail,
  pid: null,
  restarts: 0,
  since: 0,
});
const up = [process('engine', 'ready'), process('trainer', 'ready')];
const engine = (state: 'waiting' | 'serving' | 'updating' | 'failed') => ({
  engine: { state, detail: null, name: 'embedded', running: 0 },
});

describe('servedFact', () => {
  it.each([
    ['serving', statusOf({ served_version: 12 }), null, up, 'good', 'serving v12 · embedded'],
    ['the gateway starts', undefined, { kind: 'not-ready', message: '' } as const, up, 'busy', 'gateway starting'],
    [
      'the gateway is lost',
      statusOf(),
      { kind: 'unreachable', message: '' } as const,
      up,
      'bad',
      'gateway not answering',
    ],
    ['the engine starts', statusOf(), null, [process('engine', 'starting')], 'busy', 'engine starting'],
    ['the engine failed', statusOf(), null, [process('engine', 'failed')], 'bad', 'engine failed'],
    ['an external engine failed', statusOf(engine('failed')), null, [], 'bad', 'engine failed'],
    ['weights load', statusOf({ ...engine('updating'), trained_version: 3 }), null, up, 'busy', 'loading v3'],
    ['no version yet', statusOf({ served_version: null }), null, up, 'busy', 'waiting for the engine'],
  ])('%s', (_name, status, problem, processes, tone, word) => {
    expect(servedFact({ status, problem, processes }, en)).toEqual({ tone, word });
  });
});

describe('trainerFact', () => {
  const training = (fraction: number | null) => ({
    trainer: { state: 'training' as const, batch_id: 3, phase: 'step', fraction },
  });
  it.each([
    ['idle', statusOf(), up, 'trainer idle'],
    ['training', statusOf(training(0.134)), up, 'training 13 %'],
    ['training of unknown length', statusOf(training(null)), up, 'training'],
    ['failed', statusOf(), [process('trainer', 'failed')], 'trainer failed'],
    ['unknown', undefined, [], 'trainer off'],
  ])('%s', (_name, status, processes, word) => {
    expect(trainerFact({ status, problem: null, processes }, en).word).toBe(word);
  });
});

describe('collectTrouble', () => {
  it('names each cause once and gives it a button', () => {
    const lines = collectTrouble(
      {
        gateway: [{ kind: 'engine-failed', message: 'again', advice: '' }],
        studio: [{ kind: 'gateway', message: 'port', advice: 'choose another' }],
        processes: [process('engine', 'failed', 'exit code 1')],
        lost: { kind: 'unreachable', message: 'x' },
      },
      en,
    );
    expect(lines.map(({ kind, remedy }) => [kind, remedy])).toEqual([
      ['gateway', 'settings'],
      ['gateway-lost', 'show-logs'],
      ['engine-failed', 'restart-engine'],
    ]);
    expect(lines[2]?.advice).toBe('exit code 1');
  });

  it('is silent while everything starts', () => {
    const sources = { gateway: [], studio: [], processes: [process('engine', 'starting')] };
    expect(collectTrouble({ ...sources, lost: { kind: 'not-ready', message: '' } }, en)).toEqual([]);
  });
});
