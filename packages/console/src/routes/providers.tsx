/** Providers: with which credential they are called, and how they do. */
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useGet } from '../api/use-api.ts';
import { wholeList } from '../api/use-list.ts';
import { msg, t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import type { Column } from '../parts/list/columns.tsx';
import { Compact } from '../parts/list/list.tsx';
import { ListPage } from '../parts/list/list-page.tsx';
import { Views } from '../parts/page/tabs.tsx';
import { Id } from '../parts/values/values.tsx';
import { place, useSearchParams, useSetSearch } from '../state/search.ts';
import { SetCredential } from './providers/credential.tsx';
import { CredentialTag, ErrorShare, type Provider, ProviderHealth } from './providers/names.tsx';

const REFRESH_MS = 30_000;

const ProviderLink = ({ id, displayName }: Provider) => (
  <Link {...place('/providers/$id', { id })}>
    <bdi>{displayName}</bdi>
  </Link>
);

const COLUMNS: readonly Column<Provider>[] = [
  { id: 'name', title: msg('Provider'), width: 'minmax(140px, 1fr)', cell: ProviderLink },
  { of: 'id', as: 'id', title: msg('Id'), width: 'minmax(100px, 1fr)' },
  { id: 'credential', title: msg('Credential'), width: '130px', cell: CredentialTag },
  { of: 'models', as: 'count', title: msg('Callable models'), width: '110px' },
  { of: 'attempts', as: 'tokens', title: msg('Attempts, 24 h'), width: '104px' },
  { id: 'errors', title: msg('Failed'), width: '72px', align: 'end', cell: ErrorShare },
  { of: 'p50Ms', as: 'ms', title: msg('First content, p50'), width: '120px' },
  { of: 'p95Ms', as: 'ms', title: msg('p95'), width: '80px' },
  {
    id: 'origins',
    title: msg('Base URL'),
    width: 'minmax(80px, 2fr)',
    cell: ({ origins }) => <Id text={origins.join(', ')} />,
  },
  { id: 'state', title: msg('State'), width: '140px', cell: ProviderHealth },
];

/** Of providers that may not be in use. */
const ALL_COLUMNS = COLUMNS.filter(({ id, of }) => of === 'id' || ['name', 'credential', 'state'].includes(id ?? ''));

const PATH = '/admin/v1/providers';

export function Page() {
  const navigate = useNavigate();
  const setSearch = useSetSearch();
  const isAll = useSearchParams()['show'] === 'all';
  const [without, setWithout] = useState<Provider>();
  const list = wholeList(useGet(PATH, isAll ? { query: { all: 'true' } } : {}, { refreshMs: REFRESH_MS }));
  const addCredential = (provider: Provider) =>
    provider.credential === 'none' && <Button onClick={() => setWithout(provider)}>{t('Add credential')}</Button>;
  const addProvider = (
    <Button kind="primary" icon={<Plus size={16} />} onClick={() => setSearch({ show: 'all' })}>
      {t('Add a provider')}
    </Button>
  );
  return (
    <ListPage
      title={t('Providers')}
      list={list}
      columns={isAll ? [...ALL_COLUMNS, { id: 'add', title: '', width: '170px', cell: addCredential }] : COLUMNS}
      compact={(provider) => (
        <Compact
          first={<ProviderLink {...provider} />}
          end={<ProviderHealth {...provider} />}
          second={<CredentialTag {...provider} />}
          secondEnd={
            addCredential(provider) || t('{count, plural, one {# model} other {# models}}', { count: provider.models })
          }
        />
      )}
      onOpen={({ id }) => void navigate(place('/providers/$id', { id }))}
      path={isAll ? `${PATH}?all=true` : PATH}
      cli={isAll ? 'trivium providers list --all' : 'trivium providers list'}
      actions={!isAll && addProvider}
      notes={
        <Views
          label={t('Providers')}
          id="show"
          choices={[
            ['', t('In use')],
            ['all', t('All')],
          ]}
        />
      }
      none={t('No provider is configured yet.')}
      noneAction={addProvider}
    >
      {without !== undefined && <SetCredential provider={without} onClose={() => setWithout(undefined)} />}
    </ListPage>
  );
}
