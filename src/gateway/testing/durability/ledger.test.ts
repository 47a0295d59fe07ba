import { beforeEach, describe, expect, it } from 'vitest';
import { Ledger, type ShownSession } from './ledger';

let ledger: Ledger;
beforeEach(() => {
  ledger = new Ledger();
  ledger.started('s', 'key');
  ledger.answered('s', 'a', 'text');
  ledger.rating('s', 'a', 1);
  ledger.rated('s', 'a', 1, true);
  ledger.ending('s');
  ledger.ended('s');
});

const answer = { interaction_id: 'a', state: 'finished', output: 'text', reward: 1 };
const shown: ShownSession = { session_id: 's', api_key: 'key', state: 'ended', interactions: [answer] };

describe('checkSession', () => {
  it.each([
    ['nothing when all is there', shown, []],
    ['a session that is gone', null, [/is gone/]],
    ['another key', { ...shown, api_key: 'other' }, [/another key/]],
    ['an end that came undone', { ...shown, state: 'open' }, [/was ended and is open/]],
    ['a lost answer', { ...shown, interactions: [] }, [/there 0 times/]],
    ['a doubled answer', { ...shown, interactions: [answer, answer] }, [/there 2 times/]],
    ['another text', { ...shown, interactions: [{ ...answer, output: 'else' }] }, [/changed/]],
    ['a lost rating', { ...shown, interactions: [{ ...answer, reward: null }] }, [/is null, not 1/]],
    ['another rating', { ...shown, interactions: [{ ...answer, reward: -1 }] }, [/is -1, not 1/]],
  ] as const)('finds %s', (_reason, session, expected) => {
    const wrong = ledger.checkSession('s', session);
    expect(wrong).toHaveLength(expected.length);
    expected.forEach((pattern, k) => {
      expect(wrong[k]).toMatch(pattern);
    });
  });

  it('takes both outcomes of a change whose reply never came', () => {
    ledger.rating('s', 'a', null);
    for (const reward of [1, null])
      expect(ledger.checkSession('s', { ...shown, interactions: [{ ...answer, reward }] })).toEqual([]);
    expect(ledger.checkSession('s', { ...shown, interactions: [{ ...answer, reward: 2 }] })).toHaveLength(1);
  });
});

describe('checkFates', () => {
  const receipt = { interaction_id: 'a', state: 'in-batch', batch_id: 3, version: null, reward: 1 };

  it.each([
    ['the same again', [receipt], 0],
    ['being trained next', [{ ...receipt, state: 'trained', version: 2 }], 0],
    ['another batch', [{ ...receipt, batch_id: 4 }], 1],
    ['another reward', [{ ...receipt, reward: 0 }], 1],
    ['waiting again', [{ ...receipt, state: 'waiting', batch_id: null }], 2],
    ['being gone', [], 1],
    ['being listed twice', [receipt, receipt], 1],
  ])('knows what to say of %s', (_reason, receipts, problems) => {
    expect(ledger.checkFates([receipt])).toEqual([]);
    expect(ledger.checkFates(receipts)).toHaveLength(problems);
  });

  it('tells those in batches from those that were dropped', () => {
    const dropped = { ...receipt, interaction_id: 'b', state: 'dropped', batch_id: null };
    ledger.checkFates([receipt, dropped]);
    expect(ledger.batched()).toEqual(['a']);
  });

  it('holds a trained rating to its version', () => {
    ledger.checkFates([{ ...receipt, state: 'trained', version: 2 }]);
    expect(ledger.checkFates([{ ...receipt, state: 'trained', version: 3 }])).toHaveLength(1);
  });
});
