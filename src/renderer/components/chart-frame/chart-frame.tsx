import { ActionIcon, Menu } from '@mantine/core';
import { type ReactNode, useId, useRef, useState } from 'react';
import classes from './chart-frame.module.css';
import { pngFile, saveFile, svgFile } from './chart-image';
import { type ChartTable, toCsv } from './chart-table';

export interface ChartWords {
  readonly menu: string;
  readonly png: string;
  readonly svg: string;
  readonly csv: string;
  readonly failed: (message: string) => string;
}

interface Props {
  /** a sentence that says what the chart shows */
  readonly title: string;
  /** file name without ending */
  readonly name: string;
  /** what a reader must know besides: gaps, what is left out, what a mark means */
  readonly note?: ReactNode;
  readonly table: ChartTable;
  readonly words: ChartWords;
  readonly testId?: string;
  readonly height?: number;
  /** Enter on the drawing, as a click on it */
  readonly onEnter?: () => void;
  /** the drawing got the focus or lost it */
  readonly onFocusChange?: (isFocused: boolean) => void;
  readonly children: ReactNode;
}

/** The frame every chart stands in: sentence, drawing, notes, and ⋯ with the picture and the numbers as files. */
export function ChartFrame({
  title,
  name,
  note,
  table,
  words,
  testId,
  height = 220,
  onEnter,
  onFocusChange,
  children,
}: Props) {
  const body = useRef<HTMLDivElement>(null);
  const titleId = useId();
  const [failure, setFailure] = useState<string | null>(null);

  async function save(kind: 'png' | 'svg' | 'csv'): Promise<void> {
    setFailure(null);
    try {
      if (kind === 'csv') return saveFile(`${name}.csv`, new Blob([toCsv(table)], { type: 'text/csv' }));
      const svg = body.current?.querySelector<SVGSVGElement>('svg.recharts-surface');
      if (svg == null || body.current === null) return;
      const file = svgFile(svg, title, getComputedStyle(body.current).backgroundColor);
      saveFile(
        `${name}.${kind}`,
        kind === 'svg' ? new Blob([file.text], { type: 'image/svg+xml' }) : await pngFile(file),
      );
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    }
  }

  return (
    <figure className={classes.frame} aria-labelledby={titleId} data-testid={testId}>
      <header className={classes.head}>
        <h3 id={titleId} className={classes.title}>
          {title}
        </h3>
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <ActionIcon aria-label={words.menu}>⋯</ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => void save('png')}>{words.png}</Menu.Item>
            <Menu.Item onClick={() => void save('svg')}>{words.svg}</Menu.Item>
            <Menu.Item onClick={() => void save('csv')}>{words.csv}</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </header>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the drawing inside has the focus and its keys */}
      <div
        ref={body}
        className={classes.body}
        style={{ height }}
        onFocus={() => onFocusChange?.(true)}
        onBlur={() => onFocusChange?.(false)}
        onKeyDown={(event) => event.key === 'Enter' && onEnter?.()}
      >
        {children}
      </div>
      {note !== undefined && <figcaption className={classes.note}>{note}</figcaption>}
      {failure !== null && (
        <p role="alert" className={classes.failure}>
          {words.failed(failure)}
        </p>
      )}
    </figure>
  );
}
