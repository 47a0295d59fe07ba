// What Chromium says on Linux about a desktop bus that it asks and does not need: there is no switch for it, and to a
// person who starts the app it reads like trouble. Only these lines are left out of the terminal; everything else stays.
import { createInterface } from 'node:readline';

// `[pid:date/time:ERROR:bus.cc(399)] …`, in newer ones `[…:ERROR:dbus/bus.cc:408] …`
const HEAD = /^\[\d+:(?:\d+:)?\d{4}\/\d+\.\d+:ERROR:(?:dbus\/)?(bus|object_proxy)\.cc[^\]]*\] (.*)$/;
const KNOWN = {
  bus: 'Failed to connect to the bus:',
  object_proxy: 'Failed to call method: org.freedesktop.',
};

/** @param {string} line */
export function isKnownNoise(line) {
  const [, source, message] = HEAD.exec(line) ?? [];
  return source !== undefined && message.startsWith(KNOWN[source]);
}

/**
 * Passes a program's lines on as they come, without the known noise.
 * @param {NodeJS.ReadableStream} from
 * @param {NodeJS.WritableStream} to
 */
export function passOnQuietly(from, to) {
  createInterface({ input: from, crlfDelay: Number.POSITIVE_INFINITY }).on('line', (line) => {
    if (!isKnownNoise(line)) to.write(`${line}\n`);
  });
}
