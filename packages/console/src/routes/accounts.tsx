/** All accounts; members have one, theirs. */
import { Navigate, useNavigate } from '@tanstack/react-router';
import { useGetList } from '../api/use-list.ts';
import { triviumLine } from '../format/shell.ts';
import { msg, t } from '../i18n/t.ts';
import { type Column, describedColumns } from '../parts/list/columns.tsx';
import { type FilterField, useFilters } from '../parts/list/filter-bar.tsx';
import { Compact } from '../parts/list/list.tsx';
import { ListPage } from '../parts/list/list-page.tsx';
import { None } from '../parts/values/values.tsx';
import { place, useSearchParams, useSetSearch } from '../state/search.ts';
import { useMe } from '../state/session.ts';
import { CreateAccount } from './accounts/create-account.tsx';
import { type Account, AccountLink, AccountStatus, KIND_NAMES, STATUS_NAMES } from './accounts/names.tsx';

const COLUMNS: readonly Column<Account>[] = [
  {
    id: 'name',
    title: msg('Name'),
    width: 'minmax(160px, 2fr)',
    cell: ({ id, name }) => <AccountLink id={id} text={name} />,
  },
  { of: 'id', as: 'id', title: msg('Id'), width: 'minmax(120px, 1fr)' },
  {
    id: 'parent',
    title: msg('Parent'),
    width: 'minmax(100px, 1fr)',
    cell: ({ parentId }) => (parentId === null ? <None /> : <AccountLink id={parentId} text={parentId} />),
  },
  { of: 'kind', as: KIND_NAMES, title: msg('Kind'), width: '110px' },
  ...describedColumns('Account'),
  { id: 'status', title: msg('State'), width: '100px', cell: AccountStatus },
];

const FIELDS: readonly FilterField[] = [
  { id: 'q', label: msg('Id or name'), example: 'acme' },
  { id: 'kind', label: msg('Kind'), choices: KIND_NAMES },
  { id: 'status', label: msg('State'), choices: STATUS_NAMES },
];

export function Page() {
  const { accountId } = useMe();
  return accountId === null ? <Accounts /> : <Navigate {...place('/accounts/$id', { id: accountId })} replace />;
}

function Accounts() {
  const navigate = useNavigate();
  const setSearch = useSetSearch();
  const { create } = useSearchParams();
  const query = useFilters(FIELDS);
  const { q: search, kind, status } = query;
  return (
    <ListPage
      title={t('Accounts')}
      list={useGetList('/admin/v1/accounts', { query })}
      columns={COLUMNS}
      compact={({ id, name, kind, status, parentId }) => (
        <Compact
          first={<AccountLink id={id} text={name} />}
          end={<AccountStatus status={status} />}
          second={
            <>
              <span>{id}</span>
              {parentId !== null && <span>{t('below {parent}', { parent: parentId })}</span>}
            </>
          }
          secondEnd={t(KIND_NAMES[kind])}
        />
      )}
      onOpen={({ id }) => void navigate(place('/accounts/$id', { id }))}
      fields={FIELDS}
      placeholder={t('Search by id or name')}
      path={`/admin/v1/accounts?${new URLSearchParams(query)}`}
      cli={triviumLine(['accounts', 'list'], Object.entries({ search, kind, status }))}
      mayCreate
      none={t('There is no account yet. An account pays for the requests of its keys.')}
      noMatch={t('No account matches these filters.')}
    >
      {create === 'yes' && <CreateAccount onClose={() => setSearch({ create: undefined })} />}
    </ListPage>
  );
}
