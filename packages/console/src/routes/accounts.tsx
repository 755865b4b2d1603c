import { Navigate, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMemo } from 'react';
import { useGetList } from '../api/use-get-list.ts';
import { triviumLine } from '../format/shell.ts';
import { t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { adminCurl, CopyAs, copyText } from '../parts/base/copy.tsx';
import { EmptyState } from '../parts/base/empty-state.tsx';
import { Problem } from '../parts/base/problem.tsx';
import { type Column, DataTable } from '../parts/list/data-table.tsx';
import { FilterBar, type FilterField, useFilters } from '../parts/list/filter-bar.tsx';
import styles from '../parts/list/lists.module.css';
import { PageFrame } from '../parts/page/page.tsx';
import { Id, None, When } from '../parts/values/values.tsx';
import { useSearchParams, useSetSearch } from '../state/search.ts';
import { useMe } from '../state/session.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { useRows } from '../state/use-rows.ts';
import { CreateAccount } from './accounts/create-account.tsx';
import { type Account, AccountLink, AccountStatus, kindNames } from './accounts/names.tsx';

const columns = (): readonly Column<Account>[] => [
  {
    id: 'name',
    title: t('Name'),
    width: 'minmax(160px, 2fr)',
    cell: ({ id, name }) => <AccountLink id={id} text={name} />,
  },
  { id: 'id', title: t('Id'), width: 'minmax(120px, 1fr)', cell: ({ id }) => <Id text={id} /> },
  {
    id: 'parent',
    title: t('Parent'),
    width: 'minmax(100px, 1fr)',
    cell: ({ parentId }) => (parentId === null ? <None /> : <AccountLink id={parentId} text={parentId} />),
  },
  { id: 'kind', title: t('Kind'), width: '110px', cell: ({ kind }) => kindNames()[kind] },
  { id: 'created', title: t('Created'), width: '150px', cell: ({ createdAt }) => <When at={createdAt} /> },
  { id: 'status', title: t('State'), width: '100px', cell: ({ status }) => <AccountStatus status={status} /> },
];

const compact = (account: Account) => (
  <div className={styles['compact']}>
    <span>
      <AccountLink id={account.id} text={account.name} />
      <span className={styles['push']}>
        <AccountStatus status={account.status} />
      </span>
    </span>
    <span className={styles['second']}>
      <span>{account.id}</span>
      {account.parentId !== null && <span>{t('below {parent}', { parent: account.parentId })}</span>}
      <span className={styles['push']}>{kindNames()[account.kind]}</span>
    </span>
  </div>
);

/** Members have one account: theirs. */
export function Page() {
  const { accountId } = useMe();
  return accountId === null ? (
    <Accounts />
  ) : (
    <Navigate to={'/accounts/$id' as string} params={{ id: accountId } as never} replace />
  );
}

const accountFields = (): readonly FilterField[] => [
  { id: 'q', label: t('Id or name'), example: 'acme' },
  { id: 'kind', label: t('Kind'), choices: Object.entries(kindNames()).map(([value, text]) => ({ value, text })) },
  {
    id: 'status',
    label: t('State'),
    choices: [
      { value: 'active', text: t('active') },
      { value: 'suspended', text: t('suspended') },
    ],
  },
];

function Accounts() {
  const navigate = useNavigate();
  const setSearch = useSetSearch();
  const { create } = useSearchParams();
  const fields = useMemo(accountFields, []);
  const query = useFilters(fields);
  const hasFilters = Object.keys(query).length > 0;
  const { rows, isLoading, error, retry, hasMore, onMore } = useGetList('/admin/v1/accounts', { query });
  const open = ({ id }: Account): void =>
    void navigate({ to: '/accounts/$id' as string, params: { id } as never, search: {} as never });
  const { currentId } = useRows(rows, ({ id }) => id, open);
  const curl = (): string => adminCurl('GET', `/admin/v1/accounts?${new URLSearchParams(query)}`);
  const cli = (): string =>
    triviumLine(
      ['accounts', 'list'],
      [
        ['search', query['q']],
        ['kind', query['kind']],
        ['status', query['status']],
      ],
    );
  useShortcuts({ c: () => void copyText(curl()) });
  const button = (
    <Button kind="primary" icon={<Plus size={16} />} onClick={() => setSearch({ create: 'yes' }, { push: true })}>
      {t('Create')}
    </Button>
  );
  return (
    <PageFrame
      title={t('Accounts')}
      isFixed
      actions={
        <>
          <CopyAs
            forms={[
              { name: 'curl', text: curl },
              { name: 'trivium', text: cli },
            ]}
          />
          {button}
        </>
      }
    >
      <FilterBar fields={fields} plain="q" placeholder={t('Search by id or name')} />
      {error !== null && <Problem error={error} onRetry={retry} />}
      <DataTable
        label={t('Accounts')}
        columns={columns()}
        compact={compact}
        rows={rows}
        idOf={({ id }) => id}
        isLoading={isLoading}
        onOpen={open}
        currentId={currentId}
        hasMore={hasMore}
        onMore={onMore}
        empty={
          error === null &&
          (hasFilters ? (
            <EmptyState title={t('No account matches these filters.')}>
              <Button onClick={() => setSearch(Object.fromEntries(fields.map(({ id }) => [id, undefined])))}>
                {t('Clear filters')}
              </Button>
            </EmptyState>
          ) : (
            <EmptyState title={t('There is no account yet. An account pays for the requests of its keys.')}>
              {button}
            </EmptyState>
          ))
        }
      />
      {create === 'yes' && <CreateAccount onClose={() => setSearch({ create: undefined })} />}
    </PageFrame>
  );
}
