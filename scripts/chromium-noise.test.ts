import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { isKnownNoise, passOnQuietly } from './chromium-noise.mjs';

const system =
  'Failed to connect to the bus: Failed to connect to socket /run/dbus/system_bus_socket: No such file or directory';

describe('isKnownNoise', () => {
  it.each([
    ['no system bus', `[31811:1129/220432.701188:ERROR:bus.cc(399)] ${system}`, true],
    ['no system bus, as newer Chromium writes it', `[4711:1129/220432.701188:ERROR:dbus/bus.cc:408] ${system}`, true],
    ['the same with a thread id', `[85646:103378:1017/173657.464512:ERROR:bus.cc(407)] ${system}`, true],
    [
      'a desktop service that is not there',
      '[7:1129/220432.701188:ERROR:object_proxy.cc(623)] Failed to call method: org.freedesktop.portal.Settings.Read: object_path= /org/freedesktop/portal/desktop',
      true,
    ],
    ['another message of the same source', '[7:1129/220432.701188:ERROR:bus.cc(399)] The connection was lost', false],
    ['a crash of the GPU process', '[7:1129/220432.7:ERROR:gpu_process_host.cc(948)] GPU process launch failed', false],
    ['a fatal line', `[7:1129/220432.701188:FATAL:bus.cc(399)] ${system}`, false],
    ['the app’s own words about a bus', system, false],
    ['an empty line', '', false],
  ])('%s', (_name, line, expected) => {
    expect(isKnownNoise(line)).toBe(expected);
  });
});

describe('passOnQuietly', () => {
  it('keeps every other line in order, the last one without its end too', async () => {
    const [from, to] = [new PassThrough(), new PassThrough()];
    passOnQuietly(from, to);
    from.on('close', () => to.end());
    from.end(`first\n[1:1129/220432.701188:ERROR:bus.cc(399)] ${system}\nError: broken\n    at somewhere\nlast`);
    expect(await text(to)).toBe('first\nError: broken\n    at somewhere\nlast\n');
  });
});
