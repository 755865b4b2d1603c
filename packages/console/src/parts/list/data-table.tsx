/**
 * A list of rows: only the visible ones are drawn, the head stays, more are asked for near the end. Sorting and filtering are
 * the server's. Give it a parent with a height (`PageFrame isFixed`), or `isWhole` for a short list inside a page.
 */

import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
import { t } from '../../i18n/t.ts';
import { Skeleton } from '../base/states.tsx';
import { alignOf, type Column, cellOf } from './columns.tsx';
import styles from './data-table.module.css';

export type DataTableProps<T> = {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly idOf: (row: T) => string;
  readonly isLoading?: boolean;
  /** In place of rows when there are none. */
  readonly empty?: ReactNode;
  readonly onOpen?: (row: T) => void;
  /** The row that j and k have come to. */
  readonly currentId?: string | undefined;
  readonly hasMore?: boolean;
  readonly onMore?: () => void;
  /** Two lines on a phone, in place of the columns. */
  readonly compact?: ((row: T) => ReactNode) | undefined;
  readonly isWhole?: boolean;
  readonly onScrolled?: (isAtTop: boolean) => void;
};

const ROW_PX = 32;
const COMPACT_ROW_PX = 56;
const OVERSCAN = 12;
const PHONE = '(max-width: 719px)';

export function DataTable<T>(props: DataTableProps<T>) {
  const { label, columns, rows, idOf, isLoading = false, empty, onOpen, currentId, compact } = props;
  const { hasMore = false, onMore, isWhole = false, onScrolled } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const isCompact = compact !== undefined && window.matchMedia(PHONE).matches;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isCompact ? COMPACT_ROW_PX : ROW_PX),
    overscan: OVERSCAN,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : idOf(row);
    },
  });
  const drawn = isWhole
    ? rows.map((_, index) => ({ index, start: index * (isCompact ? COMPACT_ROW_PX : ROW_PX) }))
    : virtual.getVirtualItems();
  const last = drawn.at(-1)?.index ?? -1;
  useEffect(() => {
    if (hasMore && last >= rows.length - OVERSCAN) onMore?.();
  }, [hasMore, last, rows.length, onMore]);

  const currentIndex = currentId === undefined ? -1 : rows.findIndex((row) => idOf(row) === currentId);
  useEffect(() => {
    if (currentIndex >= 0 && !isWhole) virtual.scrollToIndex(currentIndex);
  }, [currentIndex, isWhole, virtual]);

  const template = isCompact ? 'minmax(0, 1fr)' : columns.map(({ width }) => width).join(' ');
  return (
    <div
      className={styles['scroller']}
      data-whole={isWhole}
      ref={scroller}
      onScroll={onScrolled && ((event) => onScrolled(event.currentTarget.scrollTop < ROW_PX))}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      role="region"
      aria-label={label}
    >
      <div className={styles['table']} role="table" aria-label={label} aria-rowcount={hasMore ? -1 : rows.length + 1}>
        {!isCompact && (
          <div className={styles['head']} role="row" style={{ gridTemplateColumns: template }}>
            {columns.map((column) => (
              <div key={column.id ?? column.of} role="columnheader" data-align={alignOf(column)}>
                {t(column.title)}
              </div>
            ))}
          </div>
        )}
        <div
          role="rowgroup"
          className={styles['body']}
          style={{ blockSize: isWhole ? rows.length * (isCompact ? COMPACT_ROW_PX : ROW_PX) : virtual.getTotalSize() }}
        >
          {drawn.map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the page has j, k and Enter for it, and the first cell is a link
              <div
                key={idOf(row)}
                role="row"
                aria-rowindex={index + 2}
                className={styles['row']}
                data-current={index === currentIndex}
                data-opens={onOpen !== undefined}
                data-compact={isCompact}
                style={{ gridTemplateColumns: template, transform: `translateY(${start}px)` }}
                onClick={onOpen && ((event) => !isOnControl(event.target) && onOpen(row))}
              >
                {isCompact ? (
                  <div role="cell">{compact(row)}</div>
                ) : (
                  columns.map((column) => (
                    <div key={column.id ?? column.of} role="cell" data-align={alignOf(column)}>
                      {cellOf(column, row)}
                    </div>
                  ))
                )}
              </div>
            );
          })}
        </div>
      </div>
      {rows.length === 0 && (isLoading ? <Skeleton rows={8} /> : empty)}
      {rows.length > 0 && hasMore && <p className={styles['more']}>{t('Loading more…')}</p>}
    </div>
  );
}

/** A click on a link or button in a row does not open the row. */
const isOnControl = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('a, button, input, select, [role="menuitem"]') !== null;
