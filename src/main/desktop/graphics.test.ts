import { describe, expect, it } from 'vitest';
import { hasGraphicsDevice } from './graphics';

describe('hasGraphicsDevice', () => {
  it.each([
    ['kernel graphics', 'linux', '/dev/dri', true],
    ['NVIDIA’s own driver', 'linux', '/dev/nvidiactl', true],
    ['Windows’ GPU within WSL', 'linux', '/dev/dxg', true],
    ['a container without any', 'linux', '/dev/null', false],
    ['another system, which always has one', 'darwin', '/dev/null', true],
  ] as const)('%s', (_name, platform, device, expected) => {
    expect(hasGraphicsDevice(platform, (path) => path === device)).toBe(expected);
  });
});
