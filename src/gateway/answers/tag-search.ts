/** The first tag in a text: the earliest position, and there the longest tag. */
export function findTag(
  text: string,
  tags: readonly string[],
): { readonly tag: string; readonly index: number } | null {
  let found: { tag: string; index: number } | null = null;
  for (const tag of tags) {
    const index = text.indexOf(tag);
    if (index < 0) continue;
    const isBetter = found === null || index < found.index || (index === found.index && tag.length > found.tag.length);
    if (isBetter) found = { tag, index };
  }
  return found;
}

/** Characters at the end of a text that may turn out to be the beginning of a tag. */
export function partialTagLength(text: string, tags: readonly string[]): number {
  let longest = 0;
  for (const tag of tags) {
    for (let length = Math.min(tag.length - 1, text.length); length > longest; length -= 1) {
      if (text.endsWith(tag.slice(0, length))) longest = length;
    }
  }
  return longest;
}

/** Which of the literals stands at a position: `more` while the text is too short to tell. */
export function literalAt<Literal extends string>(
  text: string,
  position: number,
  literals: readonly Literal[],
): Literal | 'more' | null {
  const matched = literals.find((literal) => text.startsWith(literal, position));
  if (matched !== undefined) return matched;
  const rest = text.length - position;
  const isOpen = literals.some((literal) => rest < literal.length && literal.startsWith(text.slice(position)));
  return isOpen ? 'more' : null;
}

/** White space of the formats' scaffolding; other Unicode spaces are somebody's text. */
export function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}

/** The first position from here on that is not white space. */
export function skipBlank(text: string, position: number): number {
  let at = position;
  while (isBlank(text[at])) at += 1;
  return at;
}
