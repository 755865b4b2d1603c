/** Every entry of the ledger with the balance after it. */

import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import type { Schemas } from '../../api/client.ts';
import { useGetList } from '../../api/use-list.ts';
import { msg, t } from '../../i18n/t.ts';
import { buttonClass } from '../../parts/base/button.tsx';
import { type Column, describedColumns } from '../../parts/list/columns.tsx';
import { Compact, List } from '../../parts/list/list.tsx';
import { Id, Money, Tag, When } from '../../parts/values/values.tsx';
import { place } from '../../state/search.ts';
import styles from './accounts.module.css';
import { accountPath } from './names.tsx';

type Entry = Schemas['LedgerEntry'];

const ENTRY_NAMES: Readonly<Record<Entry['kind'], string>> = {
  deposit: msg('deposit'),
  withdrawal: msg('withdrawal'),
  charge: msg('charge'),
  refund: msg('refund'),
};

const KindTag = ({ kind }: Entry) => (
  <Tag kind={kind === 'deposit' || kind === 'refund' ? 'ok' : 'plain'} text={t(ENTRY_NAMES[kind])} />
);

/** The request where there is one, else the payment and its memo. */
const What = ({ id, requestId, memo }: Entry) =>
  requestId === null ? (
    <span title={id}>{memo === '' ? <Id text={id} /> : <bdi>{memo}</bdi>}</span>
  ) : (
    <Link {...place('/requests/$id', { id: requestId })}>
      <Id text={requestId} />
    </Link>
  );

const Amount = ({ amountUsd, estimated }: Entry) => <Money usd={amountUsd} isEstimated={estimated} />;

const COLUMNS: readonly Column<Entry>[] = [
  { of: 'sequence', as: 'text', title: '#', width: '64px', align: 'end' },
  { of: 'at', as: 'when', title: msg('Time'), width: '150px' },
  { id: 'kind', title: msg('Kind'), width: '100px', cell: KindTag },
  { id: 'what', title: msg('Request or memo'), width: 'minmax(220px, 2fr)', cell: What },
  { id: 'amount', title: msg('Amount'), width: '130px', align: 'end', cell: Amount },
  ...describedColumns('LedgerEntry'),
];

export const Ledger = ({ account }: { readonly account: string }) => (
  <>
    <div className={styles['bar']}>
      <p className={styles['muted']}>{t('The newest first. Amounts with ~ were counted by the gateway itself.')}</p>
      <a className={buttonClass()} href={accountPath(account, '/ledger.csv')} download>
        <Download size={14} />
        {t('CSV')}
      </a>
    </div>
    <List
      label={t('Ledger')}
      list={useGetList('/admin/v1/accounts/{account}/ledger', { path: { account } })}
      columns={COLUMNS}
      compact={(entry) => (
        <Compact
          first={
            <>
              <When at={entry.at} />
              <KindTag {...entry} />
            </>
          }
          end={<Amount {...entry} />}
          second={<What {...entry} />}
          secondEnd={<Money usd={entry.balanceUsd} />}
        />
      )}
      idOf={({ sequence }) => sequence}
      empty={t('Nothing was paid in or charged yet.')}
    />
  </>
);
