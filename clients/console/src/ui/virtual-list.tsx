import { Loader } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import classes from './virtual-list.module.css';

const ROW_PX = 40;
/** Of a line where rows are narrow and several lines high, and of the space around them. */
const LINE_PX = 22;
const SPACE_PX = 16;

export interface Column<Row> {
  readonly label: string;
  /** A CSS grid track. */
  readonly width: string;
  readonly cell: (row: Row) => ReactNode;
  /** Takes a line of its own where the page is narrow. */
  readonly wide?: boolean;
  /** Where the page is narrow its label stands before it: a bare number says nothing. */
  readonly named?: boolean;
}

interface Props<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  readonly columns: readonly Column<Row>[];
  /** Called when the end comes near; undefined when there is no more. */
  readonly more?: (() => void) | undefined;
  readonly loadingMore?: boolean;
  /** Enter on the row that is chosen. */
  readonly open?: (row: Row) => void;
}

/**
 * A table of which only the rows in sight are in the page, however many there are. Arrow keys, j and k, Home and End
 * choose a row while the table has the focus.
 */
export function VirtualList<Row>({ label, rows, keyOf, columns, more, loadingMore = false, open }: Props<Row>) {
  const frame = useRef<HTMLDivElement>(null);
  const narrow = useMediaQuery('(max-width: 48rem)') ?? false;
  const [active, setActive] = useState<number>();
  const rowPx = narrow ? narrowHeight(columns) : ROW_PX;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowPx,
    overscan: 12,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? -1;
  useEffect(() => virtual.measure(), [virtual, rowPx]);
  useEffect(() => {
    if (more !== undefined && !loadingMore && last >= rows.length - 20) more();
  }, [more, loadingMore, last, rows.length]);

  const choose = (index: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, index));
    setActive(next);
    virtual.scrollToIndex(next, { align: 'auto' });
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.target !== frame.current && event.key === 'Enter') return;
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      j: 1,
      ArrowUp: -1,
      k: -1,
      PageDown: 12,
      PageUp: -12,
    };
    const step = steps[event.key];
    if (step !== undefined) choose((active ?? -1) + step);
    else if (event.key === 'Home') choose(0);
    else if (event.key === 'End') choose(rows.length - 1);
    else if (event.key === 'Enter' && active !== undefined && rows[active] !== undefined) open?.(rows[active]);
    else return;
    event.preventDefault();
  };
  const tracks = columns.map(({ width }) => width).join(' ');
  const height = Math.min(rows.length * rowPx + (narrow ? 2 : 38), 640);
  return (
    <div
      ref={frame}
      className={classes.frame}
      style={{ height, ['--columns' as string]: tracks }}
      role="table"
      aria-label={label}
      aria-rowcount={more === undefined ? rows.length + 1 : -1}
      tabIndex={0}
      onKeyDown={onKey}
    >
      <div role="rowgroup">
        <div className={classes.head} role="row" aria-rowindex={1}>
          {columns.map((column) => (
            <div key={column.label} role="columnheader" className={classes.cell}>
              {column.label}
            </div>
          ))}
        </div>
      </div>
      <div role="rowgroup" style={{ position: 'relative', height: virtual.getTotalSize() }}>
        {shown.map(({ index, start, size }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <div
              key={keyOf(row)}
              className={classes.row}
              role="row"
              aria-rowindex={index + 2}
              data-active={index === active || undefined}
              style={{ height: size, transform: `translateY(${start}px)` }}
            >
              {columns.map((column) => (
                <div
                  key={column.label}
                  role="cell"
                  className={classes.cell}
                  data-wide={column.wide || undefined}
                  data-label={column.named === true ? column.label : undefined}
                >
                  {column.cell(row)}
                </div>
              ))}
            </div>
          );
        })}
      </div>
      {loadingMore && <Loader size="xs" m="xs" aria-label="More is being read" />}
    </div>
  );
}

/** Wide cells have a line of their own, the others stand two on a line. */
function narrowHeight(columns: readonly { readonly wide?: boolean }[]): number {
  const wide = columns.filter((column) => column.wide === true).length;
  return (wide + Math.ceil((columns.length - wide) / 2)) * LINE_PX + SPACE_PX;
}
