/** All accounts; members have one, theirs. */
import { Navigate, useNavigate } from '@tanstack/react-router';
import type { Schemas } from '../api/client.ts';
import { useGetList } from '../api/use-list.ts';
import { formatCount } from '../format/numbers.ts';
import { triviumLine } from '../format/shell.ts';
import { exactWhen, formatDay } from '../format/when.ts';
import { locale, msg, t } from '../i18n/t.ts';
import type { Column } from '../parts/list/columns.tsx';
import { type FilterField, useFilters } from '../parts/list/filter-bar.tsx';
import { Compact } from '../parts/list/list.tsx';
import { ListPage } from '../parts/list/list-page.tsx';
import { Money, None, Tag } from '../parts/values/values.tsx';
import { useZone } from '../state/preferences.ts';
import { place, useSearchParams, useSetSearch } from '../state/search.ts';
import { useMe } from '../state/session.ts';
import { CreateAccount } from './accounts/create-account.tsx';
import { AccountLink, AccountStatus, KIND_NAMES, STATUS_NAMES } from './accounts/names.tsx';

const PATH = '/admin/v1/account-figures';

type Figures = Schemas['AccountFigures'];

const Budgets = ({ budgets, budgetsNearEnd }: Figures) =>
  budgetsNearEnd === 0 ? (
    <span>{budgets === 0 ? '–' : formatCount(budgets, locale())}</span>
  ) : (
    <Tag
      kind="warn"
      text={t('{near} of {count} over 80 %', { near: budgetsNearEnd, count: formatCount(budgets, locale()) })}
    />
  );

const Available = ({ availableUsd }: Figures) =>
  availableUsd === null ? <span>{t('no limit')}</span> : <Money usd={availableUsd} />;

const COLUMNS: readonly Column<Figures>[] = [
  {
    id: 'name',
    title: msg('Name'),
    width: 'minmax(140px, 2fr)',
    cell: ({ id, name }) => <AccountLink id={id} text={name} />,
  },
  { of: 'id', as: 'id', title: msg('Id'), width: 'minmax(90px, 1fr)' },
  {
    id: 'parent',
    title: msg('Parent'),
    width: 'minmax(80px, 1fr)',
    cell: ({ parentId }) => (parentId === null ? <None /> : <AccountLink id={parentId} text={parentId} />),
  },
  { of: 'kind', as: KIND_NAMES, title: msg('Kind'), width: '80px' },
  { of: 'spent30dUsd', as: 'usd', title: msg('Spend, 30 d'), width: '100px' },
  { id: 'available', title: msg('Available'), width: '90px', align: 'end', cell: Available },
  { id: 'budgets', title: msg('Budgets'), width: '126px', cell: Budgets },
  { of: 'members', as: 'count', title: msg('Members'), width: '76px' },
  { of: 'keys', as: 'count', title: msg('Keys'), width: '64px' },
  { id: 'created', title: msg('Created'), width: '96px', cell: (row) => <CreatedDay {...row} /> },
  { id: 'status', title: msg('State'), width: '80px', cell: AccountStatus },
];

/** Accounts live for years: the time of day is in the tooltip. */
function CreatedDay({ createdAt }: Figures) {
  const zone = useZone();
  return (
    <time dateTime={createdAt} title={exactWhen(createdAt, Date.now(), locale())}>
      {formatDay(createdAt, zone, locale())}
    </time>
  );
}

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
  const filters = useFilters(FIELDS);
  const { sort = 'spend' } = useSearchParams();
  const query = { ...filters, sort };
  const { q: search, kind, status } = filters;
  return (
    <ListPage
      title={t('Accounts')}
      list={useGetList(PATH, { query })}
      columns={COLUMNS}
      compact={({ id, name, spent30dUsd, status, parentId }) => (
        <Compact
          first={<AccountLink id={id} text={name} />}
          end={<AccountStatus status={status} />}
          second={
            <>
              <span>{id}</span>
              {parentId !== null && <span>{t('below {parent}', { parent: parentId })}</span>}
            </>
          }
          secondEnd={<Money usd={spent30dUsd} />}
        />
      )}
      onOpen={({ id }) => void navigate(place('/accounts/$id', { id }))}
      fields={FIELDS}
      placeholder={t('Search by id or name')}
      path={`${PATH}?${new URLSearchParams(query)}`}
      selects={[
        {
          id: 'sort',
          label: t('Order'),
          choices: [
            ['spend', t('by spend')],
            ['name', t('by name')],
            ['id', t('by id')],
            ['createdAt', t('by age')],
          ],
        },
      ]}
      cli={triviumLine(['accounts', 'figures'], Object.entries({ search, kind, status, sort }))}
      mayCreate
      none={t('There is no account yet. An account pays for the requests of its keys.')}
      noMatch={t('No account matches these filters.')}
    >
      {create === 'yes' && <CreateAccount onClose={() => setSearch({ create: undefined })} />}
    </ListPage>
  );
}
