import { Link, useNavigate } from '@tanstack/react-router';
import { useGet } from '../api/use-api.ts';
import { formatCount } from '../format/numbers.ts';
import { locale, t } from '../i18n/t.ts';
import { adminCurl, CopyAs, copyText } from '../parts/base/copy.tsx';
import { EmptyState } from '../parts/base/empty-state.tsx';
import { Problem } from '../parts/base/problem.tsx';
import { type Column, DataTable } from '../parts/list/data-table.tsx';
import styles from '../parts/list/lists.module.css';
import { PageFrame } from '../parts/page/page.tsx';
import { Id, When } from '../parts/values/values.tsx';
import { useShortcuts } from '../state/shortcuts.ts';
import { useRows } from '../state/use-rows.ts';
import { CredentialTag, type Provider, ProviderHealth } from './providers/names.tsx';

const REFRESH_MS = 30_000;

const ProviderLink = ({ provider: { id, displayName } }: { readonly provider: Provider }) => (
  <Link to={'/providers/$id' as string} params={{ id } as never}>
    <bdi>{displayName}</bdi>
  </Link>
);

const columns = (): readonly Column<Provider>[] => [
  {
    id: 'name',
    title: t('Provider'),
    width: 'minmax(140px, 1fr)',
    cell: (provider) => <ProviderLink provider={provider} />,
  },
  { id: 'id', title: t('Id'), width: 'minmax(100px, 1fr)', cell: ({ id }) => <Id text={id} /> },
  { id: 'credential', title: t('Credential'), width: '130px', cell: (provider) => <CredentialTag {...provider} /> },
  { id: 'stored', title: t('Stored'), width: '150px', cell: ({ storedAt }) => <When at={storedAt} /> },
  {
    id: 'models',
    title: t('Callable models'),
    width: '110px',
    align: 'end',
    cell: ({ models }) => formatCount(models, locale()),
  },
  {
    id: 'retries',
    title: t('Retries left'),
    width: '90px',
    align: 'end',
    cell: ({ retryBudget }) => formatCount(Math.floor(retryBudget.left), locale()),
  },
  {
    id: 'origins',
    title: t('Base URL'),
    width: 'minmax(160px, 2fr)',
    cell: ({ origins }) => <Id text={origins.join(', ')} />,
  },
  { id: 'state', title: t('State'), width: '140px', cell: (provider) => <ProviderHealth provider={provider} /> },
];

const compact = (provider: Provider) => (
  <div className={styles['compact']}>
    <span>
      <ProviderLink provider={provider} />
      <span className={styles['push']}>
        <ProviderHealth provider={provider} />
      </span>
    </span>
    <span className={styles['second']}>
      <CredentialTag {...provider} />
      <span className={styles['push']}>
        {t('{count, plural, one {# model} other {# models}}', { count: provider.models })}
      </span>
    </span>
  </div>
);

const curl = (): string => adminCurl('GET', '/admin/v1/providers');

export function Page() {
  const navigate = useNavigate();
  const providers = useGet('/admin/v1/providers', {}, { refreshMs: REFRESH_MS });
  const rows = providers.data?.items ?? [];
  const open = ({ id }: Provider): void =>
    void navigate({ to: '/providers/$id' as string, params: { id } as never, search: {} as never });
  const { currentId } = useRows(rows, ({ id }) => id, open);
  useShortcuts({ c: () => void copyText(curl()) });
  return (
    <PageFrame
      title={t('Providers')}
      isFixed
      actions={
        <CopyAs
          forms={[
            { name: 'curl', text: curl },
            { name: 'trivium', text: () => 'trivium providers list' },
          ]}
        />
      }
    >
      {providers.isError && <Problem error={providers.error} onRetry={() => void providers.refetch()} />}
      <DataTable
        label={t('Providers')}
        columns={columns()}
        compact={compact}
        rows={rows}
        idOf={({ id }) => id}
        isLoading={providers.isLoading}
        onOpen={open}
        currentId={currentId}
        empty={
          !providers.isError && (
            <EmptyState title={t('No provider is configured. “trivium init” writes a configuration with one.')} />
          )
        }
      />
    </PageFrame>
  );
}
