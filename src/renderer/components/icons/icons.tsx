import type { ReactNode } from 'react';

export interface IconProps {
  readonly size?: number;
}

/** 16-unit grid, 1.5 stroke, current colour; always beside a word or inside a control with a name. */
function Glyph({ size = 16, children }: IconProps & { readonly children: ReactNode }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      style={{ flexShrink: 0 }}
    >
      {children}
    </svg>
  );
}

export const RateIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M2 3.5h12v8H7.5L4.5 14v-2.5H2zM5 7.5l2 2 4-4" />
  </Glyph>
);
export const TrajectoriesIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M2 4h4M8 4h6M2 8h7M11 8h3M2 12h2.5M6.5 12H14" />
  </Glyph>
);
export const GroupsIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M2 14V2M2 14h12M5.5 11V8M8.5 11V5M11.5 11V7" />
  </Glyph>
);
export const RunsIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M13.5 8a5.5 5.5 0 1 1-2-4.2M13.5 2v2.5H11M8 5v3l2 1.5" />
  </Glyph>
);
export const SettingsIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M2 4.5h7M13 4.5h1M2 11.5h1M7 11.5h7M11 3v3M5 10v3" />
  </Glyph>
);
export const FoldIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M9.5 4 5.5 8l4 4" />
  </Glyph>
);
export const UnfoldIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="m6.5 4 4 4-4 4" />
  </Glyph>
);
export const SunIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M3.4 12.6l.7-.7M11.9 4.1l.7-.7M8 5.25a2.75 2.75 0 1 0 0 5.5 2.75 2.75 0 0 0 0-5.5z" />
  </Glyph>
);
export const MoonIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M13 9.5A5.5 5.5 0 0 1 6.5 3 5.5 5.5 0 1 0 13 9.5z" />
  </Glyph>
);
export const HalfMoonIcon = (props: IconProps) => (
  <Glyph {...props}>
    <circle cx="8" cy="8" r="5.5" />
    <path d="M8 2.5v11a5.5 5.5 0 0 0 0-11z" fill="currentColor" />
  </Glyph>
);
export const CheckIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="m3 8.5 3.5 3.5L13 4.5" />
  </Glyph>
);
export const ToolIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M5.5 4 2 8l3.5 4M10.5 4 14 8l-3.5 4" />
  </Glyph>
);
export const WarnIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M8 2 14.5 13.5h-13zM8 6.5v3M8 11.5v.1" />
  </Glyph>
);
export const ErrorIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M8 1.75a6.25 6.25 0 1 0 0 12.5 6.25 6.25 0 0 0 0-12.5zM8 5v3.5M8 11v.1" />
  </Glyph>
);
export const ClockIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM8 5v3.2l2 1.3" />
  </Glyph>
);
export const StackIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M8 2 14 5 8 8 2 5zM2 8l6 3 6-3M2 11l6 3 6-3" />
  </Glyph>
);
export const DropIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM3.8 3.8l8.4 8.4" />
  </Glyph>
);
export const PlusIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M8 3v10M3 8h10" />
  </Glyph>
);
export const SendIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M8 13V3M4 7l4-4 4 4" />
  </Glyph>
);
export const StopIcon = (props: IconProps) => (
  <Glyph {...props}>
    <rect x="4" y="4" width="8" height="8" fill="currentColor" />
  </Glyph>
);
export const RetryIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M13 8a5 5 0 1 1-1.6-3.7M13 2.5V5h-2.5" />
  </Glyph>
);
export const ColumnsIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M2 3h12v10H2zM8 3v10" />
  </Glyph>
);
export const CloseIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="m4 4 8 8M12 4l-8 8" />
  </Glyph>
);
export const SearchIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.5 10.5l3 3" />
  </Glyph>
);
export const DotIcon = (props: IconProps) => (
  <Glyph {...props}>
    <circle cx="8" cy="8" r="3.5" fill="currentColor" stroke="none" />
  </Glyph>
);
export const FolderIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M2 4h4l1.5 1.5H14V13H2z" />
  </Glyph>
);
export const MinusIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M3.5 8h9" />
  </Glyph>
);
export const UndoIcon = (props: IconProps) => (
  <Glyph {...props}>
    <path d="M5.5 3 2.5 6l3 3M2.5 6H10a3.5 3.5 0 0 1 0 7H6" />
  </Glyph>
);

/** Turns only while something is being done. */
export function BusyIcon({ size = 16 }: IconProps) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      aria-hidden="true"
      className="pl-turning"
      style={{ flexShrink: 0 }}
    >
      <circle cx="8" cy="8" r="5.5" opacity="0.3" />
      <path d="M13.5 8A5.5 5.5 0 0 0 8 2.5" strokeLinecap="round" />
    </svg>
  );
}

/** A ring filled from 0 to 1. */
export function RingIcon({ size = 16, fraction }: IconProps & { readonly fraction: number }) {
  const length = 2 * Math.PI * 5.5;
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" fill="none" strokeWidth="2.5" aria-hidden="true">
      <circle cx="8" cy="8" r="5.5" stroke="var(--pl-line-strong)" opacity="0.6" />
      <circle
        cx="8"
        cy="8"
        r="5.5"
        stroke="currentColor"
        strokeDasharray={`${length * Math.min(Math.max(fraction, 0), 1)} ${length}`}
        transform="rotate(-90 8 8)"
      />
    </svg>
  );
}
