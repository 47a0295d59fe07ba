import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseServeOptions } from './serve-options';

describe('parseServeOptions', () => {
  const parse = (...args: string[]) => parseServeOptions(args, { XDG_DATA_HOME: '/data', APPDATA: '/data' }, '/demo');

  it('has a default for everything', () => {
    expect(parse()).toMatchObject({ modelPath: resolve('/demo'), host: '127.0.0.1', port: 8090, verbose: false });
    expect(parse()?.settings.batchSize).toBe(16);
  });

  it.each([
    [['--port', '0'], { port: 0 }],
    [['--data-dir', '/x', '--model', '/m'], { dataDir: resolve('/x'), modelPath: resolve('/m') }],
    [['--batch-size=4'], { settings: { batchSize: 4 } }],
    [['--learning-rate', '1e-3', '--kl-beta', '0'], { settings: { learningRate: 1e-3, klBeta: 0 } }],
    [['--baseline', 'grpo', '--trial', 'two'], { settings: { baseline: 'grpo', trial: 'two' } }],
    [['--verbose'], { verbose: true }],
    [
      ['--admission', 'soft', '--requests-per-second', '5'],
      { gatewaySettings: { admission: 'soft', requestsPerSecond: 5 } },
    ],
    [['--unrated-agent', 'zero'], { gatewaySettings: { unratedPolicy: { agent: 'zero' } } }],
    [['--allowed-hosts', 'gpu-box, gpu'], { gatewaySettings: { allowedHosts: ['gpu-box', 'gpu'] } }],
  ])('reads %j', (args, options) => {
    expect(parse(...args)).toMatchObject(options);
  });

  it('takes the data folder from the environment, and the flag before it', () => {
    const environment = { PLAUDIT_DATA_DIR: '/environment' };
    expect(parseServeOptions([], environment, '/demo')?.dataDir).toBe(resolve('/environment'));
    expect(parseServeOptions(['--data-dir', '/flag'], environment, '/demo')?.dataDir).toBe(resolve('/flag'));
  });

  it.each([
    [['--port', 'http'], /--port/],
    [['--port', ''], /--port/],
    [['--port', '65536'], /--port/],
    [['--port', '80.5'], /--port/],
    [['--batch-size', '1'], /--batch-size/],
    [['--batch-size', 'many'], /--batch-size/],
    [['--trial', '../up'], /--trial/],
    [['--baseline', 'luck'], /--baseline/],
    [['--nope'], /--nope/],
    [['--admission', 'open'], /--admission/],
    [['--turn-discount', '2'], /--turn-discount/],
    [['--max-open-sessions', ''], /--max-open-sessions/],
    [['--unrated-human', 'no'], /--unrated-human/],
    [['more'], /more/],
    [['--port'], /port/],
  ])('refuses %j and names the flag', (args, message) => {
    expect(() => parse(...args)).toThrow(message);
  });

  it('gives null when help is asked for', () => {
    expect(parse('--help')).toBeNull();
    expect(parse('-h')).toBeNull();
  });
});
