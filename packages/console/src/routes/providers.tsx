/** Providers: with which credential they are called, and how they do. */
import { Link, useNavigate } from '@tanstack/react-router';
import { useGet } from '../api/use-api.ts';
import { wholeList } from '../api/use-list.ts';
import { formatCount } from '../format/numbers.ts';
import { locale, msg, t } from '../i18n/t.ts';
import type { Column } from '../parts/list/columns.tsx';
import { Compact } from '../parts/list/list.tsx';
import { ListPage } from '../parts/list/list-page.tsx';
import { Id } from '../parts/values/values.tsx';
import { place } from '../state/search.ts';
import { CredentialTag, type Provider, ProviderHealth } from './providers/names.tsx';

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
  { of: 'storedAt', as: 'when', title: msg('Stored'), width: '150px' },
  { of: 'models', as: 'count', title: msg('Callable models'), width: '110px' },
  {
    id: 'retries',
    title: msg('Retries left'),
    width: '90px',
    align: 'end',
    cell: ({ retryBudget }) => formatCount(Math.floor(retryBudget.left), locale()),
  },
  {
    id: 'origins',
    title: msg('Base URL'),
    width: 'minmax(160px, 2fr)',
    cell: ({ origins }) => <Id text={origins.join(', ')} />,
  },
  { id: 'state', title: msg('State'), width: '140px', cell: ProviderHealth },
];

export function Page() {
  const navigate = useNavigate();
  return (
    <ListPage
      title={t('Providers')}
      list={wholeList(useGet('/admin/v1/providers', {}, { refreshMs: REFRESH_MS }))}
      columns={COLUMNS}
      compact={(provider) => (
        <Compact
          first={<ProviderLink {...provider} />}
          end={<ProviderHealth {...provider} />}
          second={<CredentialTag {...provider} />}
          secondEnd={t('{count, plural, one {# model} other {# models}}', { count: provider.models })}
        />
      )}
      onOpen={({ id }) => void navigate(place('/providers/$id', { id }))}
      path="/admin/v1/providers"
      cli="trivium providers list"
      none={t('No provider is configured. “trivium init” writes a configuration with one.')}
    />
  );
}
