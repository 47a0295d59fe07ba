import { useComputedColorScheme } from '@mantine/core';
import type { ColorScheme } from './version-ramp';

/** The scheme in effect, with `system` resolved: for colours computed in code (ramps, charts, editor). */
export const useColorScheme = (): ColorScheme => useComputedColorScheme('light', { getInitialValueInEffect: false });
