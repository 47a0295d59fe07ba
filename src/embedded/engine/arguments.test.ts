import { describe, expect, it } from 'vitest';
import { readArguments } from './arguments';

describe('readArguments', () => {
  it('reads both forms, with defaults', () => {
    const result = readArguments(['--model-path', '/m', '--port=0', '--api-key', 'k', '--exit-on-stdin-eof']);
    expect(result).toMatchObject({
      ok: true,
      warnings: [],
      value: {
        modelPath: '/m',
        servedModelName: '/m',
        host: '127.0.0.1',
        port: 0,
        apiKey: 'k',
        exitOnStdinEof: true,
        maxRunningRequests: 32,
        weightVersion: 'default',
      },
    });
  });

  it('accepts flags of other engines with a warning each, with or without a value', () => {
    const result = readArguments(['--tp-size', '2', '--enable-metrics', '--model-path', '/m']);
    expect(result.ok && result.warnings).toHaveLength(2);
    expect(result.ok && result.value.modelPath).toBe('/m');
  });

  it.each([
    ['no model', [], '--model-path'],
    ['a stray word', ['--model-path', '/m', 'x'], 'x'],
    ['a flag without its value', ['--model-path'], '--model-path'],
    ['a port out of range', ['--model-path', '/m', '--port', '70000'], '--port'],
    ['a port that is no number', ['--model-path', '/m', '--port', '8o'], '--port'],
    ['no rows', ['--model-path', '/m', '--max-running-requests', '0'], '--max-running-requests'],
    ['another device', ['--model-path', '/m', '--device', 'cuda'], '--device'],
    ['another load format', ['--model-path', '/m', '--load-format', 'gguf'], '--load-format'],
    ['an empty key, which would protect nothing', ['--model-path', '/m', '--api-key', ''], '--api-key'],
  ])('refuses %s', (_name, argv, named) => {
    const result = readArguments(argv);
    expect(result.ok).toBe(false);
    expect(!result.ok && result.message).toContain(named);
  });

  it('warns when the port is open to the network without a key', () => {
    const open = readArguments(['--model-path', '/m', '--host', '0.0.0.0']);
    expect(open.ok && open.warnings).toHaveLength(1);
  });
});
