import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { settingsSchema } from '../../../shared/ipc/contract';
import { en } from '../../i18n/en';
import { zh } from '../../i18n/zh';
import { type Drafts, fieldText, readDrafts } from './form-fields';

const settings = settingsSchema.parse({});

describe('readDrafts', () => {
  it.each<[string, Drafts, object, string[]]>([
    ['nothing typed', {}, {}, []],
    ['a number in powers of ten', { learningRate: '3e-5' }, { learningRate: 3e-5 }, []],
    ['what is stored already', { batchSize: '16', baseline: 'batch_loo' }, {}, []],
    ['a true minus', { klBeta: '\u22121' }, {}, ['klBeta']],
    ['an emptied number', { gatewayPort: ' ' }, {}, ['gatewayPort']],
    ['words for a number', { temperature: 'hot' }, {}, ['temperature']],
    ['a fraction where a whole is wanted', { batchSize: '2.5' }, {}, ['batchSize']],
    ['below the range', { batchSize: '1' }, {}, ['batchSize']],
    ['above the range', { maxNewTokens: '4097' }, {}, ['maxNewTokens']],
    ['a rate of zero', { learningRate: '0' }, {}, ['learningRate']],
    ['a trial that would leave its folder', { trial: '../x' }, {}, ['trial']],
    ['good and bad together', { trial: 'trial-1', temperature: '9' }, { trial: 'trial-1' }, ['temperature']],
    ['a switch', { endSessionOnRating: false }, { endSessionOnRating: false }, []],
  ])('%s', (_reason, drafts, change, invalid) => {
    expect(readDrafts(settings, drafts)).toEqual({ change, invalid });
  });

  it('reads every stored value back from its field unchanged', () => {
    const keys = [
      'raterId',
      'temperature',
      'maxNewTokens',
      'batchSize',
      'learningRate',
      'klBeta',
      'experiment',
      'trial',
      'gatewayPort',
    ] as const;
    const drafts = Object.fromEntries(keys.map((key) => [key, fieldText(settings, key)]));
    expect(readDrafts(settings, drafts)).toEqual({ change: {}, invalid: [] });
  });
});

describe('the help of the learning rate', () => {
  it.each([
    ['en', en],
    ['zh', zh],
  ])('names in %s as many warm-up steps as the trainer takes', (_language, messages) => {
    const trainer = fileURLToPath(new URL('../../../embedded/trainer/policy-optimizer.ts', import.meta.url));
    const steps = /WARM_UP_STEPS = (\d+);/.exec(readFileSync(trainer, 'utf8'))?.[1];
    expect(messages.settings.fields.learningRate.help).toMatch(new RegExp(`\\b${steps} (steps|步)`));
  });
});
