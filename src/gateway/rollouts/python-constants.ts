const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const UPPER_I = 0x49;
const UPPER_N = 0x4e;

/**
 * JSON text with Python's bare `NaN`, `Infinity` and `-Infinity` put as null; in strings they stay what they are.
 *
 * Every character is looked at once, whatever the text is: a string that is cut off runs to the end of the text. Names
 * that touch other words need no care, as no word of JSON has another one beside it: they are refused either way.
 */
export function nullPythonConstants(text: string): string {
  const pieces: string[] = [];
  let takenTo = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInString = !isInString;
    else if (isInString) {
      if (code === BACKSLASH) at += 1;
    } else if (code === UPPER_N || code === UPPER_I) {
      const name = code === UPPER_N ? 'NaN' : 'Infinity';
      if (!text.startsWith(name, at)) continue;
      const isNegative = code === UPPER_I && at > takenTo && text.charCodeAt(at - 1) === MINUS;
      pieces.push(text.slice(takenTo, isNegative ? at - 1 : at), 'null');
      takenTo = at + name.length;
      at = takenTo - 1;
    }
  }
  if (pieces.length === 0) return text;
  pieces.push(text.slice(takenTo));
  return pieces.join('');
}
