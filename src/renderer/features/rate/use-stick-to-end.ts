import { type RefObject, useEffect, useRef } from 'react';

/** Keeps a scroller at its end while it grows, but only if the reader was there; `jumpKey` changing jumps there. */
export function useStickToEnd(scroller: RefObject<HTMLElement | null>, jumpKey: string): void {
  const atEnd = useRef(true);
  useEffect(() => {
    const element = scroller.current;
    const content = element?.firstElementChild;
    if (element == null || content == null || typeof ResizeObserver === 'undefined') return;
    let top = element.scrollTop;
    const handleScroll = (): void => {
      // Content that grew since the scroll it tells of also puts the end out of reach; only a reader goes up.
      if (element.scrollHeight - element.scrollTop - element.clientHeight < 48) atEnd.current = true;
      else if (element.scrollTop < top) atEnd.current = false;
      top = element.scrollTop;
    };
    const observer = new ResizeObserver(() => {
      if (atEnd.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(content);
    observer.observe(element);
    element.addEventListener('scroll', handleScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', handleScroll);
    };
  }, [scroller]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null || jumpKey === '') return;
    atEnd.current = true;
    element.scrollTop = element.scrollHeight;
  }, [scroller, jumpKey]);
}
