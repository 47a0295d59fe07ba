import { expect, it } from 'vitest';
import { call, LONG, newRid, startLong, startWhole, until } from './contract-helpers';
import type { ContractContext } from './contract-subject';

/** Abort, pause, continue, flush, disconnect. Every case leaves an idle, running engine behind. */
export function controlContract({ engine, options }: ContractContext): void {
  it('answers an aborted call with what it has', async () => {
    const long = await startLong(engine());
    expect((await engine().post('/abort_request', { rid: long.rid })).status).toBe(200);
    const answer = await long.answer;
    expect(answer.finish.type).toBe('abort');
    expect(answer.finish.status_code ?? null).toBeNull();
    expect(answer.ids.length).toBeGreaterThanOrEqual(long.seen() > 0 ? 1 : 0);
  });

  it('aborts a whole (not streamed) call with 200 and its tokens', async () => {
    const whole = startWhole(engine());
    await until(async () => (await engine().running()) > 0);
    await engine().post('/abort_request', { rid: whole.rid });
    expect((await whole.answer).finish.type).toBe('abort');
  });

  it('does nothing on abort of an unknown id, and never by prefix', async () => {
    const long = await startLong(engine());
    for (const rid of [long.rid.slice(0, 8), newRid(), ''])
      expect((await engine().post('/abort_request', { rid })).status).toBe(200);
    const seen = long.seen();
    await until(() => long.seen() > seen);
    await engine().post('/abort_request', { abort_all: true });
    expect((await long.answer).finish.type).toBe('abort');
  });

  it('pause (abort) answers everything inside, holds a new call, and continue lets it go', async () => {
    const long = await startLong(engine());
    const inside = [startWhole(engine()), startWhole(engine())];
    await until(async () => (await engine().running()) === 3);
    expect(await engine().json('/pause_generation', { mode: 'abort' })).toMatchObject({ status: 'ok' });
    for (const answer of [await long.answer, ...(await Promise.all(inside.map((each) => each.answer)))]) {
      expect(answer.finish.type).toBe('abort');
    }
    const held = startWhole(engine(), { max_new_tokens: 4 });
    await until(async () => (await engine().running()) === 1);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(held.isEnded()).toBe(false);
    expect((await engine().get('/health')).status).toBe(200);
    expect(await engine().json('/continue_generation', {})).toMatchObject({ status: 'ok' });
    expect((await held.answer).ids).toHaveLength(4);
  });

  it('abort reaches a call that waits at the pause gate, with no tokens', async () => {
    await engine().json('/pause_generation', { mode: 'abort' });
    const held = startWhole(engine());
    await until(async () => (await engine().running()) === 1);
    await engine().post('/abort_request', { rid: held.rid });
    const answer = await held.answer;
    expect(answer.ids).toEqual([]);
    expect(answer.finish.type).toBe('abort');
    await engine().json('/continue_generation', {});
  });

  it('a second pause while paused is harmless', async () => {
    for (const mode of ['abort', 'abort', 'in_place', 'retract']) {
      expect(await engine().json('/pause_generation', { mode })).toMatchObject({ status: 'ok' });
    }
    await engine().json('/continue_generation', {});
    expect((await engine().generate(call({ max_new_tokens: 2 }))).ids).toHaveLength(2);
  });

  it.runIf(options.capabilities.deterministic).each(['in_place', 'retract'])(
    'pause (%s) freezes an answer, and it goes on as if nothing had been',
    async (mode) => {
      const sampling = { sampling_seed: 77, max_new_tokens: 150 };
      const undisturbed = await engine().generate(call(sampling));
      const long = await startLong(engine(), 3, sampling);
      await engine().json('/pause_generation', { mode });
      const seen = long.seen();
      await new Promise((resolve) => setTimeout(resolve, 150));
      // an event already on its way may still arrive; nothing new is sampled
      const { running } = { running: await engine().running() };
      expect(long.seen() - seen).toBeLessThanOrEqual(8);
      expect(running).toBe(1);
      await engine().json('/continue_generation', {});
      const answer = await long.answer;
      expect(answer.ids).toEqual(undisturbed.ids);
      expect(answer.logprobs).toEqual(undisturbed.logprobs);
    },
  );

  it('refuses to flush under a running call, flushes when idle, and not under in_place', async () => {
    const long = await startLong(engine());
    const refused = await engine().post('/flush_cache', {});
    expect(refused.status).toBe(400);
    await engine().json('/pause_generation', { mode: 'in_place' });
    expect((await engine().post('/flush_cache', {})).status).toBe(400);
    await engine().post('/abort_request', { abort_all: true });
    await long.answer;
    expect((await engine().get('/flush_cache?timeout=5')).status).toBe(200);
    await engine().json('/continue_generation', {});
  });

  it('flush waits for a short call when given time, and retracted calls do not block it', async () => {
    const short = startWhole(engine(), { max_new_tokens: 30 });
    await until(async () => (await engine().running()) > 0 || short.isEnded());
    expect((await engine().get('/flush_cache?timeout=30')).status).toBe(200);
    await short.answer;
    const long = await startLong(engine());
    await engine().json('/pause_generation', { mode: 'retract' });
    expect((await engine().get('/flush_cache')).status).toBe(200);
    await engine().post('/abort_request', { abort_all: true });
    expect((await long.answer).ids.length).toBeGreaterThan(0);
    await engine().json('/continue_generation', {});
  });

  it.each([true, false])('frees the row when the reader goes away (streamed: %s)', async (isStreamed) => {
    const leaving = new AbortController();
    const gone = engine().post('/generate', call({ max_new_tokens: LONG }, { stream: isStreamed }), leaving.signal);
    const ended = gone.then((response) => response.text()).catch(() => 'gone');
    await until(async () => (await engine().running()) === 1);
    leaving.abort();
    await ended;
    await until(async () => (await engine().running()) === 0);
  });
}
