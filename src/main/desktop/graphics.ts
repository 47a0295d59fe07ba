import { existsSync } from 'node:fs';

// Kernel graphics, NVIDIA's own driver, and Windows' GPU within WSL.
const DEVICES = ['/dev/dri', '/dev/nvidiactl', '/dev/dxg'];

/**
 * Whether there is anything to draw with besides the processor.
 *
 * Without, Chromium starts its GPU process again and again before it gives up, and says so in the terminal each time. Only
 * Linux runs without: a display server in a container, a remote desktop, a test machine.
 */
export const hasGraphicsDevice = (platform: NodeJS.Platform, exists: (path: string) => boolean = existsSync): boolean =>
  platform !== 'linux' || DEVICES.some(exists);
