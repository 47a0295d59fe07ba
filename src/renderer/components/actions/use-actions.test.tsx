// @vitest-environment jsdom
import { cleanup, fireEvent, render } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { useActionKeys, useActions } from './use-actions';

afterEach(() => {
  cleanup();
  document.body.replaceChildren();
});

function Screen({ onEscape, onScore }: { readonly onEscape: () => void; readonly onScore: () => void }) {
  useActions('screen', [
    { id: 'leave', label: 'Leave', keys: ['Escape'], run: onEscape },
    { id: 'score', label: 'Score', keys: ['4'], run: onScore },
  ]);
  useActionKeys();
  return null;
}

/** A layer as libraries make them: gone with Escape before anyone who listens after it sees the key. */
function openLayer(attributes: Readonly<Record<string, string>>): () => void {
  const layer = document.createElement('div');
  for (const [name, value] of Object.entries(attributes)) layer.setAttribute(name, value);
  document.body.append(layer);
  const close = ({ key }: KeyboardEvent): void => {
    if (key === 'Escape') layer.remove();
  };
  window.addEventListener('keydown', close, true);
  return () => window.removeEventListener('keydown', close, true);
}

describe('useActionKeys', () => {
  it.each([
    ['a dialog', { role: 'dialog', 'aria-modal': 'true' }],
    ['a menu', { 'aria-haspopup': 'menu', 'aria-expanded': 'true' }],
    ['a list of choices', { 'aria-haspopup': 'listbox', 'aria-expanded': 'true' }],
  ])('leaves to %s the key that closes it, and acts on the next one', (_name, attributes) => {
    const [onEscape, onScore] = [vi.fn(), vi.fn()];
    render(<Screen onEscape={onEscape} onScore={onScore} />);
    const stop = openLayer(attributes);
    fireEvent.keyDown(document.body, { key: '4' });
    fireEvent.keyDown(document.body, { key: 'Escape' });
    expect([onEscape, onScore].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
    fireEvent.keyDown(document.body, { key: '4' });
    fireEvent.keyDown(document.body, { key: 'Escape' });
    expect([onEscape, onScore].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    stop();
  });
});
