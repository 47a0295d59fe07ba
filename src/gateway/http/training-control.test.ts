import { afterAll, describe, expect, it } from 'vitest';
import { createTestGateway } from '../testing/test-gateway';

const test = createTestGateway();
afterAll(() => test.close());

const read = async (response: Response): Promise<unknown> => response.json();

describe('/rl/training_settings', () => {
  it('changes what is named and leaves the rest', async () => {
    const before = { baseline: 'batch_loo', learning_rate: 5e-4, kl_beta: 0.02 };
    expect(await read(await test.call('GET', '/rl/training_settings', { key: test.gateway.adminKey }))).toEqual(before);
    const reply = await test.call('POST', '/rl/training_settings', {
      key: test.gateway.adminKey,
      body: { learning_rate: 1e-4 },
    });
    expect(await read(reply)).toEqual({ ...before, learning_rate: 1e-4 });
  });

  it.each([
    ['a rate of zero', { learning_rate: 0 }],
    ['a negative beta', { kl_beta: -1 }],
    ['a baseline that does not exist', { baseline: 'mean' }],
    ['a setting that is fixed for the run', { epochs: 3 }],
  ])('refuses %s and changes nothing', async (_case, body) => {
    const settings = () => test.call('GET', '/rl/training_settings', { key: test.gateway.adminKey }).then(read);
    const before = await settings();
    const reply = await test.call('POST', '/rl/training_settings', { key: test.gateway.adminKey, body });
    expect(reply.status).toBe(422);
    expect(await settings()).toEqual(before);
  });
});

describe('/rl/batches/{id}', () => {
  it.each(['retry', 'dismiss'])('answers %s of a batch that is not set aside with 404', async (decision) => {
    for (const id of ['1', '0', 'x', '1.5', '9007199254740993']) {
      const reply = await test.call('POST', `/rl/batches/${id}/${decision}`, { key: test.gateway.adminKey, body: {} });
      expect(reply.status).toBe(404);
    }
    expect((await test.call('POST', `/rl/batches/1/${decision}`, { key: 'wrong', body: {} })).status).toBe(401);
  });
});
