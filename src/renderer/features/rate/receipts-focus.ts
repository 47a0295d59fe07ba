import { useRateStore } from './rate-store';

export const receiptsBarId = 'receipts-bar';
export const receiptsListId = 'receipts-list';

/** What had the focus when the key opened the receipts: there it goes back when they close. */
let before: HTMLElement | null = null;

/** The bar was pressed: the focus is on it already. */
export function toggleReceipts(): void {
  before = null;
  useRateStore.setState(({ receiptsOpen }) => ({ receiptsOpen: !receiptsOpen }));
}

export function toggleReceiptsByKey(): void {
  if (useRateStore.getState().receiptsOpen) closeReceipts();
  else openReceipts();
}

/** Opens the receipts with the focus in them, so that they are read and closed without a pointer. */
export function openReceipts(): void {
  const focused = document.activeElement;
  before = focused instanceof HTMLElement && focused !== document.body ? focused : null;
  useRateStore.setState({ receiptsOpen: true });
  // React draws the list before the next frame.
  requestAnimationFrame(() => document.getElementById(receiptsListId)?.focus());
}

/** Closes the receipts; the focus goes back only when it was in them. */
export function closeReceipts(): void {
  const wasInside = isFocusInReceipts();
  useRateStore.setState({ receiptsOpen: false });
  if (!wasInside) return;
  const place = before?.isConnected === true ? before : document.getElementById(receiptsBarId);
  place?.focus({ preventScroll: true });
}

export function isFocusInReceipts(): boolean {
  const places = [receiptsBarId, receiptsListId].map((id) => document.getElementById(id));
  return places.some((place) => place?.contains(document.activeElement) === true);
}
