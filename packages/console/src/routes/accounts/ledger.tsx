/** Every entry of the ledger with the balance after it. */
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import type { Schemas } from '../../api/client.ts';
import { useGetList } from '../../api/use-get-list.ts';
import { t } from '../../i18n/t.ts';
import { Button, buttonClass } from '../../parts/base/button.tsx';
import { EmptyState } from '../../parts/base/empty-state.tsx';
import { Problem } from '../../parts/base/problem.tsx';
import { type Column, DataTable } from '../../parts/list/data-table.tsx';
import lists from '../../parts/list/lists.module.css';
import { Id, Money, Tag, When } from '../../parts/values/values.tsx';
import styles from './accounts.module.css';
import { accountPath } from './names.tsx';

type Entry = Schemas['LedgerEntry'];

const kindNames = (): Readonly<Record<Entry['kind'], string>> => ({
  deposit: t('deposit'),
  withdrawal: t('withdrawal'),
  charge: t('charge'),
  refund: t('refund'),
});

const KindTag = ({ entry: { kind } }: { readonly entry: Entry }) => (
  <Tag kind={kind === 'deposit' || kind === 'refund' ? 'ok' : 'plain'} text={kindNames()[kind]} />
);

/** The request where there is one, else the payment and its memo. */
const What = ({ entry: { id, requestId, memo } }: { readonly entry: Entry }) =>
  requestId === null ? (
    <span title={id}>{memo === '' ? <Id text={id} /> : <bdi>{memo}</bdi>}</span>
  ) : (
    <Link to={'/requests/$id' as string} params={{ id: requestId } as never}>
      <Id text={requestId} />
    </Link>
  );

const columns = (): readonly Column<Entry>[] => [
  { id: 'sequence', title: '#', width: '64px', align: 'end', cell: ({ sequence }) => sequence },
  { id: 'at', title: t('Time'), width: '150px', cell: ({ at }) => <When at={at} /> },
  { id: 'kind', title: t('Kind'), width: '100px', cell: (entry) => <KindTag entry={entry} /> },
  { id: 'what', title: t('Request or memo'), width: 'minmax(220px, 2fr)', cell: (entry) => <What entry={entry} /> },
  {
    id: 'amount',
    title: t('Amount'),
    width: '130px',
    align: 'end',
    cell: ({ amountUsd, estimated }) => <Money usd={amountUsd} isEstimated={estimated} />,
  },
  {
    id: 'balance',
    title: t('Balance'),
    width: '130px',
    align: 'end',
    cell: ({ balanceUsd }) => <Money usd={balanceUsd} />,
  },
];

const compact = (entry: Entry) => (
  <div className={lists['compact']}>
    <span>
      <When at={entry.at} />
      <KindTag entry={entry} />
      <span className={lists['push']}>
        <Money usd={entry.amountUsd} isEstimated={entry.estimated} />
      </span>
    </span>
    <span className={lists['second']}>
      <What entry={entry} />
      <span className={lists['push']}>
        <Money usd={entry.balanceUsd} />
      </span>
    </span>
  </div>
);

export function Ledger({ account }: { readonly account: string }) {
  const ledger = useGetList('/admin/v1/accounts/{account}/ledger', { path: { account } });
  return (
    <>
      <div className={styles['bar']}>
        <p className={styles['muted']}>{t('The newest first. Amounts with ~ were counted by the gateway itself.')}</p>
        <a className={buttonClass()} href={accountPath(account, '/ledger.csv')} download>
          <Download size={14} />
          {t('CSV')}
        </a>
      </div>
      {ledger.error !== null && <Problem error={ledger.error} onRetry={ledger.retry} />}
      <DataTable
        label={t('Ledger')}
        columns={columns()}
        compact={compact}
        rows={ledger.rows}
        idOf={({ sequence }) => sequence}
        isLoading={ledger.isLoading}
        isWhole
        empty={ledger.error === null && <EmptyState title={t('Nothing was paid in or charged yet.')} />}
      />
      {ledger.hasMore && <Button onClick={ledger.onMore}>{t('Load more')}</Button>}
    </>
  );
}
