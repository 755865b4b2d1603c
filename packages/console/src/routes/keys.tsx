import { useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMemo } from 'react';
import { useGet } from '../api/use-api.ts';
import { useGetList } from '../api/use-get-list.ts';
import { parseRange } from '../format/range.ts';
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
import { hasRole, useMe } from '../state/session.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { useRows } from '../state/use-rows.ts';
import { compactKey, type KeyContext, keyColumns, keyStateNames } from './keys/columns.tsx';
import { CreateKey } from './keys/create-key.tsx';
import type { FoundKey } from './keys/key-actions.tsx';

type Named = { readonly id: string; readonly name: string };

const keyFields = (members: readonly Named[]): readonly FilterField[] => [
  { id: 'q', label: t('Name, start of the secret, id') },
  {
    id: 'member',
    label: t('Member'),
    ...(members.length > 0 && { choices: members.map(({ id, name }) => ({ value: id, text: name })) }),
  },
  { id: 'model', label: t('May use the model'), example: 'openai/gpt-5.4' },
  {
    id: 'expiring',
    label: t('Expires within'),
    choices: ['7d', '30d', '90d'].map((value) => ({ value, text: value })),
  },
];

/** The filters as the API takes them. Without a state: those that work. */
function queryOf(
  filters: Readonly<Record<string, string>>,
  state: string,
  account: string | undefined,
): Record<string, string> {
  const { expiring, ...rest } = filters;
  const range = expiring === undefined ? undefined : parseRange(expiring);
  return {
    ...rest,
    ...(account !== undefined && { account }),
    ...(state !== 'all' && { state }),
    // Rounded to the hour, so that the same filter hits the cache for a while.
    ...(range?.kind === 'last' && {
      expiringBefore: new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + range.ms).toISOString(),
    }),
  };
}

/** Names of members and budgets are fetched per account: two more requests in all, none per row. */
function useContext(account: string | undefined): KeyContext & { readonly members: readonly Named[] } {
  const asked = { path: { account: account ?? '' } };
  const enabled = account !== undefined;
  const members = useGet('/admin/v1/accounts/{account}/members', { ...asked, query: { limit: '200' } }, { enabled })
    .data?.items;
  const budgets = useGet('/admin/v1/accounts/{account}/budgets', asked, { enabled }).data?.items;
  return useMemo(
    () => ({
      hasAccount: enabled,
      members: (enabled && members) || [],
      memberNames: new Map((members ?? []).map(({ id, name }) => [id, name])),
      budgets: (enabled && budgets) || [],
    }),
    [enabled, members, budgets],
  );
}

export function Page() {
  const account = useAccount();
  const isDeveloper = hasRole(useMe(), 'developer');
  const navigate = useNavigate();
  const setSearch = useSetSearch();
  const search = useSearchParams();
  const context = useContext(account);
  const fields = useMemo(() => keyFields(context.members), [context.members]);
  const filters = useFilters(fields);
  const state = search['state'] ?? 'active';
  const query = queryOf(filters, state, account);
  const { rows, isLoading, error, retry, hasMore, onMore } = useGetList('/admin/v1/keys', { query });
  const open = ({ id, accountId }: FoundKey): void =>
    void navigate({ to: '/keys/$id' as string, params: { id } as never, search: { account: accountId } as never });
  const { currentId } = useRows(rows, ({ id }) => id, open);
  const isCreating = search['create'] === 'yes';
  const hasFilter = Object.keys(filters).length > 0 || state !== 'active';
  const curl = (): string => adminCurl('GET', `/admin/v1/keys?${new URLSearchParams(query)}`);
  const cli = (): string =>
    triviumLine(
      ['keys', 'list', ...(account === undefined ? [] : [account])],
      [
        ['search', query['q']],
        ['state', query['state']],
        ['member', query['member']],
        ['model', query['model']],
        ['expiring-before', query['expiringBefore']],
      ],
    );
  useShortcuts({ c: () => void copyText(curl()) });
  const create = isDeveloper && (
    <Button kind="primary" icon={<Plus size={16} />} onClick={() => setSearch({ create: 'yes' }, { push: true })}>
      {t('Create')}
    </Button>
  );
  return (
    <PageFrame
      title={t('Keys')}
      isFixed
      actions={
        <>
          <CopyAs
            forms={[
              { name: 'curl', text: curl },
              { name: 'trivium', text: cli },
            ]}
          />
          {create}
        </>
      }
    >
      <FilterBar fields={fields} plain="q" placeholder={t('Search by name, id or start of the secret')}>
        <SearchSelect
          id="state"
          label={t('State')}
          choices={[...Object.entries(keyStateNames()), ['all', t('all states')]]}
        />
      </FilterBar>
      {error !== null && <Problem error={error} onRetry={retry} />}
      <DataTable
        label={t('Keys')}
        columns={keyColumns(context)}
        compact={compactKey(context)}
        rows={rows}
        idOf={({ id }) => id}
        isLoading={isLoading}
        onOpen={open}
        currentId={currentId}
        hasMore={hasMore}
        onMore={onMore}
        empty={
          error === null &&
          (hasFilter ? (
            <EmptyState title={t('No key matches these filters.')}>
              <Button
                onClick={() =>
                  setSearch({ ...Object.fromEntries(fields.map(({ id }) => [id, undefined])), state: undefined })
                }
              >
                {t('Clear filters')}
              </Button>
              {state === 'active' && (
                <Button onClick={() => setSearch({ state: 'all' })}>{t('Also expired and revoked')}</Button>
              )}
            </EmptyState>
          ) : (
            <EmptyState title={t('No key works yet. A key is what applications and agents call the gateway with.')}>
              {create}
            </EmptyState>
          ))
        }
      />
      <CreateKey account={account} isOpen={isCreating} onClose={() => setSearch({ create: undefined })} />
    </PageFrame>
  );
}
