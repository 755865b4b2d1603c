import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useGetList } from '../api/use-get-list.ts';
import { triviumLine } from '../format/shell.ts';
import { t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { adminCurl, CopyAs, copyText } from '../parts/base/copy.tsx';
import { EmptyState } from '../parts/base/empty-state.tsx';
import { Problem } from '../parts/base/problem.tsx';
import { SearchSelect } from '../parts/form/select.tsx';
import { DataTable } from '../parts/list/data-table.tsx';
import { FilterBar, type FilterField, useFilters } from '../parts/list/filter-bar.tsx';
import { PageFrame } from '../parts/page/page.tsx';
import { useAccount, useSearchParams, useSetSearch } from '../state/search.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { useRows } from '../state/use-rows.ts';
import { compactModel, type Model, modelColumns, modelParams } from './models/columns.tsx';

const modelFields = (): readonly FilterField[] => [
  { id: 'q', label: t('Id, name or alias') },
  { id: 'owner', label: t('Owner'), example: 'anthropic' },
  { id: 'provider', label: t('Provider'), example: 'bedrock' },
];

export function Page() {
  const account = useAccount();
  const navigate = useNavigate();
  const setSearch = useSetSearch();
  const { callable } = useSearchParams();
  const fields = useMemo(modelFields, []);
  const filters = useFilters(fields);
  const query = {
    ...filters,
    ...(callable !== undefined && { callable }),
    ...(account !== undefined && { account }),
  } as Record<string, string>;
  const { rows, isLoading, error, retry, hasMore, onMore } = useGetList('/admin/v1/models', { query });
  const open = ({ id }: Model): void =>
    void navigate({
      to: '/models/$owner/$name' as string,
      params: modelParams(id),
      search: (account === undefined ? {} : { account }) as never,
    });
  const { currentId } = useRows(rows, ({ id }) => id, open);
  const curl = (): string => adminCurl('GET', `/admin/v1/models?${new URLSearchParams(query)}`);
  const cli = (): string =>
    triviumLine(
      ['models', 'list'],
      [
        ['search', query['q']],
        ['owner', query['owner']],
        ['provider', query['provider']],
        ['callable', callable === 'true' ? true : undefined],
        ['account', account],
      ],
    );
  useShortcuts({ c: () => void copyText(curl()) });
  return (
    <PageFrame
      title={t('Models')}
      isFixed
      actions={
        <CopyAs
          forms={[
            { name: 'curl', text: curl },
            { name: 'trivium', text: cli },
          ]}
        />
      }
    >
      <FilterBar fields={fields} plain="q" placeholder={t('Search by id, name or alias')}>
        <SearchSelect
          id="callable"
          label={t('State')}
          choices={[
            ['all', t('all models')],
            ['true', t('callable')],
            ['false', t('not callable')],
          ]}
        />
      </FilterBar>
      {error !== null && <Problem error={error} onRetry={retry} />}
      <DataTable
        label={t('Models')}
        columns={modelColumns()}
        compact={compactModel}
        rows={rows}
        idOf={({ id }) => id}
        isLoading={isLoading}
        onOpen={open}
        currentId={currentId}
        hasMore={hasMore}
        onMore={onMore}
        empty={
          error === null && (
            <EmptyState title={t('No model matches these filters.')}>
              <Button
                onClick={() =>
                  setSearch({ ...Object.fromEntries(fields.map(({ id }) => [id, undefined])), callable: undefined })
                }
              >
                {t('Clear filters')}
              </Button>
            </EmptyState>
          )
        }
      />
    </PageFrame>
  );
}
