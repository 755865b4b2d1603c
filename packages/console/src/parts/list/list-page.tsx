/** The page of a list of resources: filters in the address bar, the table, j, k and Enter, what copies the question. */

import { Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { useSearchParams, useSetSearch } from '../../state/search.ts';
import { leaveControl, useShortcuts } from '../../state/shortcuts.ts';
import { Button } from '../base/button.tsx';
import { adminCurl, CopyAs, copyText, readForms } from '../base/copy.tsx';
import { EmptyState } from '../base/states.tsx';
import { SearchSelect, type SearchSelectProps } from '../form/fields.tsx';
import { PageFrame } from '../page/page.tsx';
import { FilterBar, type FilterField } from './filter-bar.tsx';
import { List, type ListProps } from './list.tsx';

export type ListPageProps<T> = Pick<ListProps<T>, 'list' | 'columns' | 'compact'> & {
  readonly title: string;
  /** By a click, or by Enter on the row that j and k have come to. */
  readonly onOpen: (row: T) => void;
  /** Typed filters, with what the bar says while there are none. */
  readonly fields?: readonly FilterField[];
  readonly placeholder?: string;
  /** Filters that are a choice of a few. */
  readonly selects?: readonly SearchSelectProps[];
  /** The question as the API gets it, and the command that asks the same. */
  readonly path: string;
  readonly cli?: string | undefined;
  readonly actions?: ReactNode;
  /** There is a dialog behind `?create=yes`. */
  readonly mayCreate?: boolean;
  /** Where there are no rows although nothing is filtered, and what to do then. */
  readonly none?: string;
  readonly noneAction?: ReactNode;
  /** Where no row matches the filters. */
  readonly noMatch?: string;
  readonly noMatchAction?: ReactNode;
  /** Notes before the table. */
  readonly notes?: ReactNode;
  /** Dialogs. */
  readonly children?: ReactNode;
};

const NO_FILTERS: readonly never[] = [];

export function ListPage<T extends { readonly id: string }>(props: ListPageProps<T>) {
  const { title, list, columns, compact, onOpen, fields = NO_FILTERS, placeholder, selects = NO_FILTERS } = props;
  const { path, cli, actions, mayCreate = false, none, noneAction, noMatch = '', noMatchAction } = props;
  const [currentId, setCurrentId] = useState<string>();
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const ids = [...fields, ...selects].map(({ id }) => id);
  const index = list.rows.findIndex(({ id }) => id === currentId);
  const go = (step: number): void => {
    const next = list.rows[Math.min(Math.max(index + step, 0), list.rows.length - 1)];
    if (next === undefined) return;
    leaveControl();
    setCurrentId(next.id);
  };
  useShortcuts({
    c: () => void copyText(adminCurl('GET', path)),
    j: () => go(1),
    k: () => go(-1),
    Enter: () => {
      const row = list.rows[index];
      if (row !== undefined) onOpen(row);
    },
  });
  const choices = selects.map((select) => <SearchSelect key={select.id} {...select} />);
  // Nothing can be created while the database is away.
  const isAway = list.error instanceof ApiError && list.error.status === 503;
  const create = mayCreate && !isAway && (
    <Button kind="primary" icon={<Plus size={16} />} onClick={() => setSearch({ create: 'yes' }, { push: true })}>
      {t('Create')}
    </Button>
  );
  return (
    <PageFrame
      title={title}
      isFixed
      actions={
        <>
          {actions}
          {fields.length === 0 && choices}
          <CopyAs forms={readForms(path, cli)} />
          {create}
        </>
      }
    >
      {fields.length > 0 && (
        <FilterBar fields={fields} plain="q" placeholder={placeholder}>
          {choices}
        </FilterBar>
      )}
      {props.notes}
      <List
        label={title}
        list={list}
        columns={columns}
        compact={compact}
        isWhole={false}
        onOpen={onOpen}
        currentId={currentId}
        empty={
          none !== undefined && !ids.some((id) => id in search) ? (
            <EmptyState title={none}>{noneAction ?? create}</EmptyState>
          ) : (
            <EmptyState title={noMatch}>
              <Button onClick={() => setSearch(Object.fromEntries(ids.map((id) => [id, undefined])))}>
                {t('Clear filters')}
              </Button>
              {noMatchAction}
            </EmptyState>
          )
        }
      />
      {props.children}
    </PageFrame>
  );
}
