import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, describe, expect, it } from 'vitest';
import { createTestGateway } from '../testing/test-gateway';
import { OPERATIONS } from './openapi/operations';

const test = createTestGateway();
afterAll(() => test.close());

const read = async (): Promise<Record<string, unknown>> =>
  (await (await test.call('GET', '/openapi.json')).json()) as Record<string, unknown>;

describe('GET /openapi.json', () => {
  it('is a valid OpenAPI document', async () => {
    const outcome = await new Validator().validate(await read());
    expect(outcome).toMatchObject({ valid: true });
  });

  it('has exactly the routes that exist', () => {
    const routes = test.gateway.app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`);
    const documented = OPERATIONS.map(({ method, path }) => `${method} ${path}`);
    expect([...documented].sort()).toEqual([...new Set(routes)].sort());
  });

  it('is the document in docs/openapi.json', async () => {
    await expect(`${JSON.stringify(await read(), null, 2)}\n`).toMatchFileSnapshot('../../../docs/openapi.json');
  });

  it.each(OPERATIONS.filter(({ key }) => key !== 'none').map(({ method, path }) => [method, path] as const))(
    'tells the truth that %s %s needs a key',
    async (method, path) => {
      const body = method === 'post' ? {} : undefined;
      const reply = await test.call(method.toUpperCase(), path.replace(/\{\w+\}/g, 'x'), { body });
      expect(reply.status).toBe(401);
    },
  );
});
