/**
 * Pixels between the ellipsis of a cut text and the end of its box. The browser leaves out whole characters, so up to
 * one character's width stays empty there.
 *
 * @param ends - where each character ends, from the beginning of the text
 */
export function emptyEnd(ends: readonly number[], room: number, ellipsis: number): number {
  const last = ends.at(-1) ?? 0;
  if (last <= room) return 0;
  // The browser keeps the first character, whatever the room.
  const shown = ends.reduce((kept, end) => (end + ellipsis <= room ? end : kept), ends[0] ?? 0);
  return Math.max(0, room - shown - ellipsis);
}

/**
 * Moves what follows a cut text up to its ellipsis, as often as its room changes; the layout itself stays as it is.
 *
 * @returns stops it
 */
export function joinHalves(head: HTMLElement): () => void {
  observer ??= new ResizeObserver((entries) => {
    // All is measured before anything is moved: in turns, each would ask for a new layout.
    const gaps = entries.map(({ target, contentRect }) => [target, measureGap(target, contentRect.width)] as const);
    for (const [target, gap] of gaps) place(target, gap);
  });
  const own = observer;
  own.observe(head);
  return () => own.unobserve(head);
}

/** Pixels left free, so that no character touches the last dot. */
const breath = 1;

/** One for all: a table has as many cut texts as rows. */
let observer: ResizeObserver | undefined;

function place(head: Element, gap: number): void {
  const { nextElementSibling: tail } = head;
  if (tail instanceof HTMLElement) tail.style.transform = gap <= breath ? '' : `translateX(${breath - gap}px)`;
}

function measureGap(head: Element, room: number): number {
  const { firstChild: text } = head;
  if (!(text instanceof Text) || head.scrollWidth <= head.clientWidth) return 0;
  const range = document.createRange();
  const start = head.getBoundingClientRect().left;
  const ends: number[] = [];
  let offset = 0;
  for (const character of text.data) {
    offset += character.length;
    range.setStart(text, 0);
    range.setEnd(text, offset);
    const end = range.getBoundingClientRect().right - start;
    ends.push(end);
    if (end > room) break;
  }
  return emptyEnd(ends, room, ellipsisWidth(getComputedStyle(head).font));
}

const ellipsisWidths = new Map<string, number>();

function ellipsisWidth(font: string): number {
  const known = ellipsisWidths.get(font);
  if (known !== undefined) return known;
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return 0;
  context.font = font;
  const { width } = context.measureText('…');
  ellipsisWidths.set(font, width);
  return width;
}
