/** A list of the API: its table, what there is in place of rows, and why rows are missing. */

import type { ReactNode } from 'react';
import type { Listed } from '../../api/use-list.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../base/button.tsx';
import { EmptyState, QueryProblem } from '../base/states.tsx';
import { DataTable, type DataTableProps } from './data-table.tsx';
import styles from './lists.module.css';

type Taken = 'rows' | 'isLoading' | 'hasMore' | 'onMore' | 'idOf' | 'empty';

export type ListProps<T> = Omit<DataTableProps<T>, Taken> & {
  readonly list: Listed<T>;
  /** Where there are no rows: a sentence, or more than that. */
  readonly empty?: ReactNode;
  /** Without it rows are known by their `id`. */
  readonly idOf?: (row: T) => string;
};

/** Inside a page, which scrolls, more rows come at the press of a button; where it fills the page (`isWhole={false}`), as it scrolls. */
export const List = <T,>({ list, empty, idOf, isWhole = true, ...table }: ListProps<T>) => (
  <>
    <QueryProblem of={list} />
    <DataTable
      {...table}
      rows={list.rows}
      idOf={idOf ?? ((row) => (row as { readonly id: string }).id)}
      isLoading={list.isLoading}
      isWhole={isWhole}
      {...(!isWhole && { hasMore: list.hasMore, onMore: list.onMore })}
      empty={list.error === null && (typeof empty === 'string' ? <EmptyState title={empty} /> : empty)}
    />
    {isWhole && list.hasMore && <Button onClick={list.onMore}>{t('Load more')}</Button>}
  </>
);

export type CompactProps = {
  readonly first: ReactNode;
  /** At the end of the first line. */
  readonly end?: ReactNode;
  readonly second: ReactNode;
  readonly secondEnd?: ReactNode;
};

/** A row on a phone: two lines, in place of the columns. */
export const Compact = ({ first, end, second, secondEnd }: CompactProps) => (
  <div className={styles['compact']}>
    <span>
      {first}
      {end !== undefined && <span className={styles['push']}>{end}</span>}
    </span>
    <span className={styles['second']}>
      {second}
      {secondEnd !== undefined && <span className={styles['push']}>{secondEnd}</span>}
    </span>
  </div>
);
