import classes from './middle-text.module.css';

const tailLength = 6;
/** A beginning shorter than this is not worth a cut, and would stand apart from its end. */
const leastHead = 6;

/** A name on one line that gives way in its middle: names of one making share their beginning and differ at the end. */
export function MiddleText({ text }: { readonly text: string }) {
  const characters = [...text];
  const cut = characters.length < leastHead + tailLength ? 0 : characters.length - tailLength;
  return (
    <span className={classes.frame} title={text}>
      <span className={classes.head}>{characters.slice(0, cut).join('')}</span>
      <span className={classes.tail}>{characters.slice(cut).join('')}</span>
    </span>
  );
}
