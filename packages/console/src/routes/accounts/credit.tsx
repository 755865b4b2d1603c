/** What an account has: the balance in one line, payments, orders. */

import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useGet, useWrite } from '../../api/use-api.ts';
import { useGetList } from '../../api/use-list.ts';
import { compareUsd } from '../../format/money.ts';
import { lessUsd } from '../../format/money-sum.ts';
import { triviumLine } from '../../format/shell.ts';
import { locale, msg, t } from '../../i18n/t.ts';
import { toast } from '../../parts/base/toast.tsx';
import { Fields, useForm } from '../../parts/form/fields.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { type Column, describedColumns } from '../../parts/list/columns.tsx';
import { Compact, List } from '../../parts/list/list.tsx';
import { Facts, Loaded } from '../../parts/page/page.tsx';
import { BudgetBar } from '../../parts/values/budget-bar.tsx';
import { Id, Money, Tag, When } from '../../parts/values/values.tsx';
import styles from './accounts.module.css';

type Credit = Schemas['Credit'];
type Order = Schemas['Order'];

/** Paid in, less spent, held and leased, is what is available. */
function Balance({ credit }: { readonly credit: Credit }) {
  const { kind, creditUsd, spentUsd, heldUsd, leasedUsd, creditLimitUsd, overrunUsd, availableUsd } = credit;
  return (
    <div className={styles['balance']}>
      <Facts
        facts={[
          [t('Paid in'), <Money key="in" usd={creditUsd} />],
          kind === 'postpaid' && [t('Credit limit'), <Money key="limit" usd={creditLimitUsd} />],
          [t('Spent'), <Money key="spent" usd={spentUsd} />],
          compareUsd(overrunUsd, '0') > 0 && [t('Of it beyond reservations'), <Money key="overrun" usd={overrunUsd} />],
          [t('Held for running requests'), <Money key="held" usd={heldUsd} />],
          [t('Leased to nodes'), <Money key="leased" usd={leasedUsd} />],
          [
            t('Available'),
            availableUsd === null ? t('unlimited') : <strong key="free">{<Money usd={availableUsd} />}</strong>,
          ],
        ]}
      />
      {kind !== 'unlimited' && (
        <BudgetBar
          // Of a postpaid account the limit counts as paid in.
          usd={kind === 'postpaid' ? lessUsd(creditUsd, `-${creditLimitUsd}`) : creditUsd}
          spentUsd={spentUsd}
          heldUsd={lessUsd(heldUsd, `-${leasedUsd}`)}
        />
      )}
    </div>
  );
}

export function AddCredit({ account, onClose }: { readonly account: string; readonly onClose: () => void }) {
  const write = useWrite();
  const [form, set] = useForm({ usd: '', memo: '' });
  // The same payment, sent twice by a shaky connection, counts once.
  const [id] = useState(() => `console-${crypto.randomUUID()}`);
  const memo = form.memo.trim() === '' ? undefined : form.memo.trim();
  const body = { usd: form.usd.trim(), id, ...(memo !== undefined && { memo }) };
  return (
    <WriteDialog
      title={t('Add credit')}
      action={t('Add credit')}
      onClose={onClose}
      write={write('post', '/admin/v1/accounts/{account}/credits', { path: { account }, body }, [
        '/admin/v1/accounts/{account}/credits',
        '/admin/v1/accounts/{account}/ledger',
      ])}
      cli={triviumLine(['credits', 'add', account, body.usd], Object.entries({ id, memo }))}
      onDone={() => toast(t('The credit was changed.'))}
      isReady={/^-?\d{1,9}(\.\d{1,9})?$/.test(body.usd)}
    >
      <Fields
        form={[form, set]}
        rows={[
          [
            {
              name: 'usd',
              label: t('US dollars'),
              hint: t('A minus takes out of what is available.'),
              inputMode: 'decimal',
              required: true,
              autoFocus: true,
            },
            { name: 'memo', label: t('Memo'), hint: t('Kept in the ledger.'), maxLength: 200 },
          ],
        ]}
      />
    </WriteDialog>
  );
}

/** As a payment provider counts: in the smallest unit of the currency. */
function amountText({ amountMinor, currency }: Order): string {
  const format = new Intl.NumberFormat(locale(), { style: 'currency', currency });
  return format.format(amountMinor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

const OrderState = ({ state }: Pick<Order, 'state'>) =>
  state === 'paid' ? <Tag kind="ok" text={t('paid')} /> : <Tag text={t('not paid')} />;

const COLUMNS: readonly Column<Order>[] = [
  { of: 'createdAt', as: 'when', title: msg('Created'), width: '150px' },
  { of: 'id', as: 'id', title: msg('Order'), width: 'minmax(140px, 2fr)' },
  { of: 'provider', as: 'text', title: msg('Payment provider'), width: 'minmax(110px, 1fr)' },
  { id: 'amount', title: msg('To pay'), width: '110px', align: 'end', cell: amountText },
  { of: 'creditUsd', as: 'usd', title: msg('Credit'), width: '110px' },
  ...describedColumns('Order'),
  { id: 'state', title: msg('State'), width: '80px', cell: OrderState },
];

export const Orders = ({ account }: { readonly account: string }) => (
  <List
    label={t('Orders')}
    list={useGetList('/admin/v1/accounts/{account}/orders', { path: { account } })}
    columns={COLUMNS}
    compact={(order) => (
      <Compact
        first={<Id text={order.id} />}
        end={amountText(order)}
        second={<When at={order.createdAt} />}
        secondEnd={<OrderState state={order.state} />}
      />
    )}
    empty={t('No order yet: an order is credit that a payment provider collects the money for.')}
  />
);

export const CreditHead = ({ account }: { readonly account: string }) => (
  <Loaded of={useGet('/admin/v1/accounts/{account}/credits', { path: { account } })} rows={2}>
    {(credit) => <Balance credit={credit} />}
  </Loaded>
);
