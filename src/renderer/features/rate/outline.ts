import { selectAnswer } from './rate-store';

/** Moves the outline, the view and the focus: what is outlined is what the next digit scores. */
export function outlineAnswer(key: string): void {
  selectAnswer(key);
  leaveText(key);
}

/** Takes the focus out of a text, to the answer if there is one. */
export function leaveText(key: string | null): void {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  if (key === null) return;
  const card = document.querySelector<HTMLElement>(`[data-answer-key="${CSS.escape(key)}"]`);
  card?.focus({ preventScroll: true });
  card?.scrollIntoView({ block: 'nearest' });
}
