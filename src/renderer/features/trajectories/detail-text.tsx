import { formatCount } from '../../components/number-format';
import { useText } from '../../i18n/text';
import classes from './detail.module.css';
import { useTrajectoriesStore } from './store';
import { TintedText } from './tinted-text';
import type { ExpandedText, TextBlock } from './token-expansion';

interface Props {
  readonly expanded: ExpandedText;
  readonly onPoint: (position: number | null) => void;
}

/** The trajectory as text: prompt folded, what the policy sampled tinted, context of later turns set apart. */
export function DetailText({ expanded, onPoint }: Props) {
  const text = useText().trajectories;
  const promptShown = useTrajectoriesStore((state) => state.promptShown);
  const [prompt, ...rest] = expanded.blocks;
  return (
    <div className={classes.text}>
      {prompt !== undefined && (
        <details
          className={classes.prompt}
          open={promptShown}
          onToggle={({ currentTarget }) => useTrajectoriesStore.setState({ promptShown: currentTarget.open })}
        >
          <summary>{text.prompt(formatCount(prompt.length))}</summary>
          <pre className={classes.plain}>{prompt.text}</pre>
        </details>
      )}
      {expanded.tintOff !== null && <p className={classes.note}>{text.tintOff[expanded.tintOff]}</p>}
      {expanded.textDiffers && <p className={classes.note}>{text.textDiffers}</p>}
      <div className={classes.completion} data-testid="detail-completion">
        {rest.map((block, index) => (
          // Blocks are positional: they are the reading order of one immutable row.
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks are positional
          <Block key={index} block={block} onPoint={onPoint} />
        ))}
      </div>
    </div>
  );
}

function Block({ block, onPoint }: Omit<Props, 'expanded'> & { readonly block: TextBlock }) {
  const text = useText().trajectories;
  if (block.role !== 'gen') {
    return (
      <section className={classes.context}>
        <h4 className={classes.contextTitle}>{text.context(formatCount(block.length))}</h4>
        <pre className={classes.plain}>{block.text}</pre>
      </section>
    );
  }
  return (
    <pre className={classes.generated}>
      {block.tokens === null ? block.text : <TintedText tokens={block.tokens} onPoint={onPoint} />}
    </pre>
  );
}
