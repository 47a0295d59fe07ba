import { memo, type PointerEvent, type ReactNode } from 'react';
import { versionTint } from '../../components/version-colors';
import { useColorScheme } from '../../theme/use-color-scheme';
import type { ColorScheme } from '../../theme/version-ramp';
import classes from './detail.module.css';
import type { TokenPiece } from './token-expansion';

interface Props {
  readonly tokens: readonly TokenPiece[];
  /** position of the token under the pointer, null when it leaves */
  readonly onPoint: (position: number | null) => void;
}

/** Sampled text, each token on the tint of the version that sampled it. Memoised: pointing must not draw it again. */
export const TintedText = memo(function TintedText({ tokens, onPoint }: Props) {
  const scheme = useColorScheme();
  function handlePointer(event: PointerEvent): void {
    const target = event.target instanceof HTMLElement ? event.target.dataset.position : undefined;
    onPoint(target === undefined ? null : Number(target));
  }
  return (
    <span onPointerOver={handlePointer} onPointerLeave={() => onPoint(null)}>
      {runsOf(tokens).map((run) => (
        <span
          key={run[0]?.position}
          className={classes.tint}
          data-version={run[0]?.version}
          style={{ background: tintOf(run, scheme) }}
        >
          {run.map(
            ({ position, text }): ReactNode => (
              <span key={position} data-position={position}>
                {text}
              </span>
            ),
          )}
        </span>
      ))}
    </span>
  );
});

const tintOf = (run: readonly TokenPiece[], scheme: ColorScheme): string => versionTint(run[0]?.version ?? -1, scheme);

/** Neighbours of one version share a background, so that the tint has no seams inside a run. */
function runsOf(tokens: readonly TokenPiece[]): TokenPiece[][] {
  const runs: TokenPiece[][] = [];
  for (const token of tokens) {
    const last = runs[runs.length - 1];
    if (last?.[0]?.version === token.version) last.push(token);
    else runs.push([token]);
  }
  return runs;
}
