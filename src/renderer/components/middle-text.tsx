import { useLayoutEffect, useRef } from 'react';
import classes from './middle-text.module.css';
import { joinHalves } from './middle-text-join';

const tailLength = 6;
/** A beginning shorter than this is not worth a cut, and would stand apart from its end. */
const leastHead = 6;

/** A name on one line that gives way in its middle: names of one making share their beginning and differ at the end. */
export function MiddleText({ text }: { readonly text: string }) {
  const head = useRef<HTMLSpanElement>(null);
  const characters = [...text];
  const cut = characters.length < leastHead + tailLength ? 0 : characters.length - tailLength;
  // Also for another text in the same room, of which an observer would not hear.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what the element measured holds
  useLayoutEffect(() => (head.current === null ? undefined : joinHalves(head.current)), [text]);
  return (
    <span className={classes.frame} title={text}>
      <span ref={head} className={classes.head}>
        {characters.slice(0, cut).join('')}
      </span>
      <span className={classes.tail}>{characters.slice(cut).join('')}</span>
    </span>
  );
}
