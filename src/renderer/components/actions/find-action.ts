import type { Action } from './action';

/** What of a keyboard event decides; a plain object so that the rules are tested as a table. */
export interface KeyPress {
  readonly key: string;
  readonly mod: boolean;
  readonly alt: boolean;
  readonly repeat: boolean;
  /** an input method is composing: the key belongs to it */
  readonly composing: boolean;
  readonly focus: 'page' | 'control' | 'text';
  /** a dialog, a menu or a list of choices lies over the screen */
  readonly layerOpen: boolean;
}

/**
 * The action a key press means, or null.
 *
 * A key can never act by accident: text fields and input methods own every plain key, open layers own every key, and a
 * held key repeats only what says so.
 */
export function findAction(press: KeyPress, actions: readonly Action[]): Action | null {
  if (press.composing || press.alt) return null;
  return actions.find((action) => action.enabled !== false && accepts(action, press)) ?? null;
}

function accepts(action: Action, press: KeyPress): boolean {
  if (press.repeat && action.repeats !== true) return false;
  if (press.focus === 'text' && action.whileTyping !== true) return false;
  if (press.layerOpen && action.overLayers !== true) return false;
  // Enter and space press the focused control.
  if (press.focus === 'control' && !press.mod && (press.key === 'Enter' || press.key === ' ')) return false;
  return (action.keys ?? []).some((key) => {
    const mod = key.startsWith('mod+');
    return mod === press.mod && (mod ? key.slice(4) : key) === press.key;
  });
}

export function readKeyPress(event: KeyboardEvent): KeyPress {
  return {
    key: event.key,
    mod: event.ctrlKey || event.metaKey,
    alt: event.altKey,
    repeat: event.repeat,
    // 229 is what Chromium reports for keys an input method swallowed, even outside compositionstart/end.
    composing: event.isComposing || event.keyCode === 229,
    focus: focusOf(event.target),
    layerOpen: isLayerOpen(),
  };
}

const layers = '[role="dialog"][aria-modal="true"], [aria-haspopup][aria-expanded="true"]';
const isLayerOpen = (): boolean => document.querySelector(layers) !== null;

/** Whether the focus may be moved without being asked: nobody types, and no layer holds it. */
export const isFocusFree = (): boolean => !isLayerOpen() && focusOf(document.activeElement) !== 'text';

function focusOf(target: EventTarget | null): KeyPress['focus'] {
  if (!(target instanceof HTMLElement)) return 'page';
  if (target.isContentEditable || target.closest('textarea, select, [role="textbox"], .monaco-editor') !== null) {
    return 'text';
  }
  if (target instanceof HTMLInputElement) {
    return ['checkbox', 'radio', 'button', 'range'].includes(target.type) ? 'control' : 'text';
  }
  return target.closest('button, a[href], summary, [role="button"], [role="option"]') === null ? 'page' : 'control';
}
