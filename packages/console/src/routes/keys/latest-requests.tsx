import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { useGet } from '../../api/use-api.ts';
import { t } from '../../i18n/t.ts';
import { EmptyState } from '../../parts/base/empty-state.tsx';
import { Problem } from '../../parts/base/problem.tsx';
import { type Column, DataTable } from '../../parts/list/data-table.tsx';
import { Panel } from '../../parts/page/page.tsx';
import { LaneTag, Outcome } from '../../parts/values/outcome.tsx';
import { Duration, Money, None, Tokens, When } from '../../parts/values/values.tsx';
import styles from './keys.module.css';

type Row = Schemas['RequestRow'];

const SHOWN = '10';
const REFRESH_MS = 30_000;

const RequestLink = ({ row }: { readonly row: Row }) => (
  <Link to={'/requests/$id' as string} params={{ id: row.id } as never}>
    <When at={row.receivedAt} />
  </Link>
);

export const latestColumns = (): readonly Column<Row>[] => [
  { id: 'time', title: t('Time'), width: '130px', cell: (row) => <RequestLink row={row} /> },
  { id: 'outcome', title: t('Outcome'), width: '160px', cell: (row) => <Outcome {...row} /> },
  { id: 'model', title: t('Model'), width: 'minmax(140px, 2fr)', cell: ({ model, askedModel }) => model ?? askedModel },
  { id: 'provider', title: t('Provider'), width: 'minmax(90px, 1fr)', cell: ({ provider }) => provider ?? <None /> },
  {
    id: 'lane',
    title: t('Path'),
    width: 'minmax(90px, 1fr)',
    cell: ({ lane, losses }) => <LaneTag lane={lane} losses={losses ?? 0} />,
  },
  {
    id: 'tokens',
    title: t('Tokens'),
    width: '110px',
    align: 'end',
    cell: ({ inputTokens, outputTokens }) =>
      inputTokens + outputTokens === 0 ? (
        <None />
      ) : (
        <>
          <Tokens count={inputTokens} /> → <Tokens count={outputTokens} />
        </>
      ),
  },
  {
    id: 'cost',
    title: t('Cost'),
    width: '90px',
    align: 'end',
    cell: ({ costUsd, estimated }) => <Money usd={costUsd} isEstimated={estimated} />,
  },
  {
    id: 'total',
    title: t('Total'),
    width: '80px',
    align: 'end',
    cell: ({ durationMs }) => <Duration ms={durationMs} />,
  },
];

const compact = (row: Row) => (
  <div className={styles['compact']}>
    <span>
      <RequestLink row={row} />
      <Outcome {...row} />
    </span>
    <span className={styles['second']}>
      <span>{row.model ?? row.askedModel}</span>
      <Money usd={row.costUsd} isEstimated={row.estimated} />
    </span>
  </div>
);

export function LatestRequests({ account, keyId }: { readonly account: string; readonly keyId: string }) {
  const requests = useGet(
    '/admin/v1/accounts/{account}/requests',
    { path: { account }, query: { key: keyId, limit: SHOWN } },
    { refreshMs: REFRESH_MS },
  );
  return (
    <Panel
      title={t('Latest requests')}
      actions={
        <Link to="/requests" search={{ account, key: keyId, range: '24h' } as never}>
          {t('All of them')}
        </Link>
      }
    >
      {requests.isError && <Problem error={requests.error} onRetry={() => void requests.refetch()} />}
      <DataTable
        label={t('Latest requests')}
        columns={latestColumns()}
        compact={compact}
        rows={requests.data?.items ?? []}
        idOf={({ id }) => id}
        isLoading={requests.isLoading}
        isWhole
        empty={!requests.isError && <EmptyState title={t('No request with this key yet.')} />}
      />
    </Panel>
  );
}
