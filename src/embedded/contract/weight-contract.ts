import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { call, startLong } from './contract-helpers';
import type { ContractContext } from './contract-subject';

/** Weight updates: what changes, what stays when they are bad, and what an interrupted answer says about its tokens. */
export function weightContract({ engine, options }: ContractContext): void {
  const { weights, deterministic } = options.capabilities;
  if (weights === null) {
    it.skip('needs folders of weights on the engine’s machine', () => undefined);
    return;
  }
  const greedy = () => engine().generate(call({ temperature: 0, max_new_tokens: 16 }));
  const update = async (path: string, version: string, extra: object = {}) => {
    const response = await engine().post('/update_weights_from_disk', {
      model_path: path,
      weight_version: version,
      ...extra,
    });
    return { status: response.status, body: (await response.json()) as { success: boolean; message: string } };
  };
  const version = async () => (await engine().json('/model_info')).weight_version;

  it('changes answers and version, and back again', async () => {
    await update(weights.served, 'step-0');
    const before = await greedy();
    expect(before.version).toBe('step-0');
    const there = await update(weights.other, 'step-1');
    expect([there.status, there.body.success]).toEqual([200, true]);
    const after = await greedy();
    expect(after.logprobs).not.toEqual(before.logprobs);
    expect([after.version, await version()]).toEqual(['step-1', 'step-1']);
    await update(weights.served, 'step-2');
    const back = await greedy();
    if (deterministic) expect([back.ids, back.logprobs]).toEqual([before.ids, before.logprobs]);
    expect(back.version).toBe('step-2');
  });

  it.each([
    ['a missing folder', () => join(weights.served, 'absent')],
    ['a damaged file', () => weights.broken],
  ])('keeps old weights and version when given %s', async (_name, path) => {
    await update(weights.served, 'good');
    const before = await greedy();
    const refused = await update(path(), 'bad');
    expect([refused.status, refused.body.success]).toEqual([400, false]);
    expect(refused.body.message).not.toBe('');
    const after = await greedy();
    expect([after.ids, after.version, await version()]).toEqual([before.ids, 'good', 'good']);
  });

  it('refuses an update with flush under a running call', async () => {
    await update(weights.served, 'good');
    const long = await startLong(engine());
    const refused = await update(weights.other, 'too-early', { flush_cache: true });
    expect([refused.status, refused.body.success]).toEqual([400, false]);
    await engine().post('/abort_request', { abort_all: true });
    expect((await long.answer).versions.map((span) => span.version)).toEqual(['good']);
  });

  it.each([
    ['in_place', false],
    ['retract', true],
  ])('an answer across an update (%s) carries both versions, split at the right token', async (mode, flush) => {
    await update(weights.served, 'old');
    const long = await startLong(engine(), 5, { max_new_tokens: 120 });
    await engine().json('/pause_generation', { mode });
    const { body } = await update(weights.other, 'new', { flush_cache: flush });
    expect(body.success).toBe(true);
    await engine().json('/continue_generation', {});
    const answer = await long.answer;
    expect(answer.ids).toHaveLength(120);
    const [first, second, ...more] = answer.versions;
    expect(more).toEqual([]);
    expect([first?.version, second?.version]).toEqual(['old', 'new']);
    expect(first?.start).toBe(0);
    expect(first?.end).toBeGreaterThanOrEqual(5);
    expect(second).toEqual({ version: 'new', start: first?.end, end: 120 });
    expect(answer.version).toBe('new');
  });

  describe.runIf(deterministic)('a deterministic engine', () => {
    it('after retract, goes on exactly as new weights would with that prefix', async () => {
      await update(weights.served, 'old');
      const long = await startLong(engine(), 5, { max_new_tokens: 60, sampling_seed: 9 });
      await engine().json('/pause_generation', { mode: 'retract' });
      await update(weights.other, 'new');
      await engine().json('/continue_generation', {});
      const answer = await long.answer;
      const cut = answer.versions[0]!.end;
      const fresh = await engine().generate({
        ...call({ max_new_tokens: 60 - cut, sampling_seed: 9 }),
        input_ids: [...call().input_ids, ...answer.ids.slice(0, cut)],
      });
      expect(answer.ids.slice(cut)).toEqual(fresh.ids);
      expect(answer.logprobs.slice(cut)).toEqual(fresh.logprobs);
    });

    it('never serves a prompt computed under other weights, also when the update skips the flush', async () => {
      await update(weights.served, 'old');
      await greedy();
      await update(weights.other, 'new', { flush_cache: false });
      const warm = await greedy();
      await engine().get('/flush_cache');
      expect((await greedy()).logprobs).toEqual(warm.logprobs);
    });
  });

  it('relabels without touching weights or calls', async () => {
    await update(weights.served, 'one');
    const before = await greedy();
    const reply = await engine().json('/update_weight_version', { new_version: 'two', abort_all_requests: false });
    expect(reply).toMatchObject({ success: true, new_version: 'two' });
    const after = await greedy();
    expect([after.ids, after.version, await version()]).toEqual([before.ids, 'two', 'two']);
  });
}
