const PREFIX = 'plaudit-1:';

/**
 * Reasoning in the field `encrypted_content`, which stateless clients send back unread.
 *
 * Nothing is hidden: it is the text in another alphabet. What counts is that the next prompt can hold the same thoughts.
 */
export function sealReasoning(text: string): string {
  return PREFIX + encodeURIComponent(text);
}

/** null when it is somebody else's. */
export function openReasoning(sealed: string): string | null {
  if (!sealed.startsWith(PREFIX)) return null;
  try {
    return decodeURIComponent(sealed.slice(PREFIX.length));
  } catch {
    return null; // cut or changed on the way
  }
}
