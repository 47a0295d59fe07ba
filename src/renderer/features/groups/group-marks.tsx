interface MarkProps {
  readonly cx?: number;
  readonly cy?: number;
}

// Shape tells the state apart from colour: full dot, square, ring, dash.
export const MemberMark = ({ cx = 0, cy = 0 }: MarkProps) => (
  <circle cx={cx} cy={cy} r={3} fill="var(--pl-accent)" fillOpacity={0.55} />
);
/** A warning only where such a group is lost to training. */
export const EqualMark = ({ cx = 0, cy = 0, isLost = false }: MarkProps & { readonly isLost?: boolean }) => (
  <rect
    x={cx - 3}
    y={cy - 3}
    width={6}
    height={6}
    fill="none"
    stroke={isLost ? 'var(--pl-warn)' : 'var(--pl-accent)'}
    strokeWidth={1.5}
  />
);
export const LostEqualMark = (props: MarkProps) => <EqualMark {...props} isLost />;
export const SingletonMark = ({ cx = 0, cy = 0 }: MarkProps) => (
  <circle cx={cx} cy={cy} r={3} fill="none" stroke="var(--pl-ink-3)" strokeWidth={1.25} />
);
export const MeanMark = ({ cx = 0, cy = 0 }: MarkProps) => (
  <line x1={cx - 4} x2={cx + 4} y1={cy} y2={cy} stroke="var(--pl-ink)" strokeWidth={1.5} />
);
