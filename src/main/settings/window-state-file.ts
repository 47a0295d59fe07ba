import { z } from 'zod';
import { readJson, writeJson } from './atomic-json';

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const windowStateSchema = z.object({
  bounds: z.object({ x: z.number().int(), y: z.number().int(), width: z.number().int(), height: z.number().int() }),
  isMaximized: z.boolean(),
});
export type WindowState = z.infer<typeof windowStateSchema>;

const SMALLEST = { width: 640, height: 400 } as const;
/** So much of the window must be on a screen, or a person could not reach it. */
const VISIBLE_PIXELS = 80;

/** Where the window stood; null when unknown, or when the screen it stood on is gone. */
export function readWindowState(path: string, screens: readonly Rectangle[]): WindowState | null {
  const read = readJson(path);
  const parsed = read.kind === 'value' ? windowStateSchema.safeParse(read.value) : null;
  if (parsed?.success !== true) return null;
  const { bounds } = parsed.data;
  if (bounds.width < SMALLEST.width || bounds.height < SMALLEST.height) return null;
  return screens.some((screen) => isReachable(bounds, screen)) ? parsed.data : null;
}

/** Losing it is no harm, so a refusing disk is not reported. */
export function writeWindowState(path: string, state: WindowState): void {
  try {
    writeJson(path, state);
  } catch {
    // The next window opens at its usual place.
  }
}

function isReachable(window: Rectangle, screen: Rectangle): boolean {
  const width = Math.min(window.x + window.width, screen.x + screen.width) - Math.max(window.x, screen.x);
  const height = Math.min(window.y + window.height, screen.y + screen.height) - Math.max(window.y, screen.y);
  const titleIsOnScreen = window.y >= screen.y;
  return width >= VISIBLE_PIXELS && height >= VISIBLE_PIXELS && titleIsOnScreen;
}
