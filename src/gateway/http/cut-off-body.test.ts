import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createTestGateway, type TestGateway } from '../testing/test-gateway';

let test: TestGateway;
afterEach(() => test.close());

const CHAT = '/v1/chat/completions';

describe('a request whose client goes away in the middle of its body', () => {
  it.each([
    ['the short way', CHAT, 'content-length: 100', '{"model"'],
    ['the ordinary way', '/v1/responses', 'content-length: 100', '{"model"'],
    ['a large body', CHAT, 'content-length: 400000', `{"model":"${'m'.repeat(300_000)}`],
    ['a body of no declared length', CHAT, 'transfer-encoding: chunked', '8\r\n{"model"\r\n'],
  ])('is logged as its doing, with its id: %s', async (_name, path, framing, part) => {
    const lines: [string, string, Readonly<Record<string, unknown>> | undefined][] = [];
    const printed = vi.spyOn(console, 'info');
    test = createTestGateway({ logger: { log: (...line) => lines.push(line as (typeof lines)[number]) } });
    const { port } = await test.gateway.listen();
    const { key } = await test.startSession();
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\nx-request-id: mine\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`;
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(head + part, () => setTimeout(() => socket.destroy(), 50)),
    );
    const own = () => lines.filter(([, , fields]) => fields?.request_id === 'mine');
    await expect.poll(own).toHaveLength(1);
    expect(own()).toEqual([
      ['info', 'request', { request_id: 'mine', method: 'POST', route: path, status: 400, ms: expect.any(Number) }],
    ]);
    expect(lines.filter(([level]) => level === 'error' || level === 'warn')).toEqual([]);
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });
});
