import { describe, expect, it } from 'vitest';
import type { Action } from './action';
import { findAction, type KeyPress } from './find-action';

const action = (id: string, keys: string[], rest: Partial<Action> = {}): Action => ({
  id,
  label: id,
  keys,
  run: () => {},
  ...rest,
});
const actions = [
  action('score', ['4']),
  action('next', ['j', 'ArrowDown'], { repeats: true }),
  action('off', ['r'], { enabled: false }),
  action('leave', ['Escape'], { whileTyping: true }),
  action('end', ['mod+Enter'], { whileTyping: true }),
  action('write', ['Enter']),
  action('palette', ['mod+k'], { whileTyping: true, overLayers: true }),
];
const press = (key: string, rest: Partial<KeyPress> = {}): KeyPress => ({
  key,
  mod: false,
  alt: false,
  repeat: false,
  composing: false,
  focus: 'page',
  layerOpen: false,
  ...rest,
});

describe('findAction', () => {
  it.each([
    ['a digit on the page scores', press('4'), 'score'],
    ['a digit on a focused button scores', press('4', { focus: 'control' }), 'score'],
    ['a digit in a text field is text', press('4', { focus: 'text' }), null],
    ['a digit while an input method composes is its own', press('4', { composing: true }), null],
    ['a digit with Ctrl is not a score', press('4', { mod: true }), null],
    ['a digit with Alt is not a score', press('4', { alt: true }), null],
    ['a held digit scores once', press('4', { repeat: true }), null],
    ['a digit while a dialog is open is nothing', press('4', { layerOpen: true }), null],
    ['a held movement key repeats', press('j', { repeat: true }), 'next'],
    ['a second key of the same action works', press('ArrowDown'), 'next'],
    ['a disabled action stays quiet', press('r'), null],
    ['Escape leaves a text field', press('Escape', { focus: 'text' }), 'leave'],
    ['Escape belongs to an open dialog', press('Escape', { layerOpen: true }), null],
    ['Ctrl Enter while a dialog is open is nothing', press('Enter', { mod: true, layerOpen: true }), null],
    ['what may lie over layers runs there', press('k', { mod: true, focus: 'text', layerOpen: true }), 'palette'],
    ['Ctrl Enter works in a text field', press('Enter', { mod: true, focus: 'text' }), 'end'],
    ['Enter on a button presses the button', press('Enter', { focus: 'control' }), null],
    ['Enter on the page does its action', press('Enter'), 'write'],
  ])('%s', (_name, keyPress, expected) => {
    expect(findAction(keyPress, actions)?.id ?? null).toBe(expected);
  });
});
