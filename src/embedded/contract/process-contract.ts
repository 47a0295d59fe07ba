import { expect, it } from 'vitest';
import { call, startLong, startWhole } from './contract-helpers';
import type { EngineContractOptions } from './contract-subject';
import { EngineClient } from './engine-client';

/** Auth and the ends of a process: each case starts an engine of its own. */
export function processContract(options: EngineContractOptions): void {
  const { ownProcess, deterministic } = options.capabilities;

  it.runIf(ownProcess)('asks for the key everywhere but at health and metrics', async () => {
    const started = await options.start(['--api-key', 'key-1']);
    for (const [key, expected] of [
      [null, 401],
      ['key-2', 401],
      ['key-1', 200],
    ] as const) {
      const engine = new EngineClient(started.url, key);
      expect((await engine.get('/model_info')).status).toBe(expected);
      expect((await engine.post('/generate', call({ max_new_tokens: 1 }))).status).toBe(expected);
      expect((await engine.post('/pause_generation', { mode: 'in_place' })).status).toBe(expected);
    }
    const stranger = new EngineClient(started.url, null);
    expect(await stranger.json('/server_info')).toEqual({ error: 'Unauthorized' });
    for (const path of ['/health', '/metrics']) expect((await stranger.get(path)).status).toBe(200);
    await started.stop();
  });

  it.runIf(ownProcess)('ends politely while paused, answering frozen calls with what they have', async () => {
    const started = await options.start();
    const engine = new EngineClient(started.url, started.apiKey);
    const long = await startLong(engine);
    await engine.json('/pause_generation', { mode: 'in_place' });
    const waiting = startWhole(engine);
    const code = started.stop();
    expect((await long.answer).finish.type).toBe('abort');
    await waiting.answer.catch(() => undefined);
    expect(await code).toBe(0);
  });

  it.runIf(ownProcess && deterministic)(
    'killed in mid-answer, a fresh engine goes on from the tokens that arrived',
    async () => {
      const sampling = { sampling_seed: 4, max_new_tokens: 100 };
      const first = await options.start();
      const engine = new EngineClient(first.url, first.apiKey);
      const whole = await engine.generate(call(sampling));
      const ids: number[] = [];
      const cut = engine.stream(call(sampling), (event) => {
        ids.push(...(event.output_ids as number[]));
        if (ids.length >= 10) void first.kill();
      });
      await expect(cut).rejects.toThrow();
      expect(ids).toEqual(whole.ids.slice(0, ids.length));
      const second = await options.start();
      const rest = await new EngineClient(second.url, second.apiKey).generate({
        ...call({ ...sampling, max_new_tokens: 100 - ids.length }),
        input_ids: [...call().input_ids, ...ids],
      });
      expect([...ids, ...rest.ids]).toEqual(whole.ids);
      await second.stop();
    },
  );
}
