/** What an account has: the balance in one line, payments, orders. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Schemas } from '../../api/client.ts';
import { invalidate, useGet } from '../../api/use-api.ts';
import { useGetList } from '../../api/use-get-list.ts';
import { compareUsd } from '../../format/money.ts';
import { lessUsd } from '../../format/money-sum.ts';
import { triviumLine } from '../../format/shell.ts';
import { locale, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { EmptyState } from '../../parts/base/empty-state.tsx';
import { Problem } from '../../parts/base/problem.tsx';
import { Skeleton } from '../../parts/base/skeleton.tsx';
import { toast } from '../../parts/base/toast.tsx';
import { Field } from '../../parts/form/field.tsx';
import { FieldRow } from '../../parts/form/form.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { type Column, DataTable } from '../../parts/list/data-table.tsx';
import lists from '../../parts/list/lists.module.css';
import { Facts } from '../../parts/page/page.tsx';
import { BudgetBar } from '../../parts/values/budget-bar.tsx';
import { Id, Money, Tag, When } from '../../parts/values/values.tsx';
import styles from './accounts.module.css';
import { accountPath } from './names.tsx';

type Credit = Schemas['Credit'];
type Order = Schemas['Order'];

/** Of a postpaid account the limit counts as paid in. */
const boundOf = ({ kind, creditUsd, creditLimitUsd }: Credit): string =>
  kind === 'postpaid' ? lessUsd(creditUsd, `-${creditLimitUsd}`) : creditUsd;

/** Paid in, less spent, held and leased, is what is available. */
function Balance({ credit }: { readonly credit: Credit }) {
  const { kind, creditUsd, spentUsd, heldUsd, leasedUsd, creditLimitUsd, overrunUsd, availableUsd } = credit;
  return (
    <div className={styles['balance']}>
      <Facts
        facts={[
          [t('Paid in'), <Money key="in" usd={creditUsd} />],
          ...(kind === 'postpaid' ? ([[t('Credit limit'), <Money key="limit" usd={creditLimitUsd} />]] as const) : []),
          [t('Spent'), <Money key="spent" usd={spentUsd} />],
          ...(compareUsd(overrunUsd, '0') > 0
            ? ([[t('Of it beyond reservations'), <Money key="overrun" usd={overrunUsd} />]] as const)
            : []),
          [t('Held for running requests'), <Money key="held" usd={heldUsd} />],
          [t('Leased to nodes'), <Money key="leased" usd={leasedUsd} />],
          [
            t('Available'),
            availableUsd === null ? t('unlimited') : <strong key="free">{<Money usd={availableUsd} />}</strong>,
          ],
        ]}
      />
      {kind !== 'unlimited' && (
        <BudgetBar usd={boundOf(credit)} spentUsd={spentUsd} heldUsd={lessUsd(heldUsd, `-${leasedUsd}`)} />
      )}
    </div>
  );
}

export function AddCredit({ account, onClose }: { readonly account: string; readonly onClose: () => void }) {
  const client = useQueryClient();
  const [usd, setUsd] = useState('');
  const [memo, setMemo] = useState('');
  // The same payment, sent twice by a shaky connection, counts once.
  const [id] = useState(() => `console-${crypto.randomUUID()}`);
  const body = { usd: usd.trim(), id, ...(memo.trim() !== '' && { memo: memo.trim() }) };
  const save = async (): Promise<void> => {
    await call('post', '/admin/v1/accounts/{account}/credits', { path: { account }, body });
    invalidate(client, ['/admin/v1/accounts/{account}/credits', '/admin/v1/accounts/{account}/ledger']);
    toast(t('The credit was changed.'));
  };
  return (
    <WriteDialog
      title={t('Add credit')}
      action={t('Add credit')}
      onClose={onClose}
      onSave={save}
      isReady={/^-?\d{1,9}(\.\d{1,9})?$/.test(body.usd)}
      command={{
        method: 'POST',
        path: accountPath(account, '/credits'),
        body,
        cli: triviumLine(
          ['credits', 'add', account, body.usd],
          [
            ['id', id],
            ['memo', body.memo],
          ],
        ),
      }}
    >
      <FieldRow>
        <Field label={t('US dollars')} hint={t('A minus takes out of what is available.')}>
          {/* biome-ignore lint/a11y/noAutofocus: the dialog was opened to type it */}
          <input value={usd} onChange={(event) => setUsd(event.target.value)} inputMode="decimal" required autoFocus />
        </Field>
        <Field label={t('Memo')} hint={t('Kept in the ledger.')}>
          <input value={memo} onChange={(event) => setMemo(event.target.value)} maxLength={200} />
        </Field>
      </FieldRow>
    </WriteDialog>
  );
}

/** As a payment provider counts: in the smallest unit of the currency. */
function amountText(minor: number, currency: string): string {
  const format = new Intl.NumberFormat(locale(), { style: 'currency', currency });
  return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}

const OrderState = ({ state }: Pick<Order, 'state'>) =>
  state === 'paid' ? <Tag kind="ok" text={t('paid')} /> : <Tag text={t('not paid')} />;

const columns = (): readonly Column<Order>[] => [
  { id: 'created', title: t('Created'), width: '150px', cell: ({ createdAt }) => <When at={createdAt} /> },
  { id: 'id', title: t('Order'), width: 'minmax(140px, 2fr)', cell: ({ id }) => <Id text={id} /> },
  { id: 'provider', title: t('Payment provider'), width: 'minmax(110px, 1fr)', cell: ({ provider }) => provider },
  {
    id: 'amount',
    title: t('To pay'),
    width: '110px',
    align: 'end',
    cell: ({ amountMinor, currency }) => amountText(amountMinor, currency),
  },
  {
    id: 'credit',
    title: t('Credit'),
    width: '110px',
    align: 'end',
    cell: ({ creditUsd }) => <Money usd={creditUsd} />,
  },
  { id: 'paid', title: t('Paid'), width: '150px', cell: ({ paidAt }) => <When at={paidAt} /> },
  { id: 'state', title: t('State'), width: '80px', cell: ({ state }) => <OrderState state={state} /> },
];

const compact = ({ id, createdAt, amountMinor, currency, state }: Order) => (
  <div className={lists['compact']}>
    <span>
      <Id text={id} />
      <span className={lists['push']}>{amountText(amountMinor, currency)}</span>
    </span>
    <span className={lists['second']}>
      <When at={createdAt} />
      <span className={lists['push']}>
        <OrderState state={state} />
      </span>
    </span>
  </div>
);

export function Orders({ account }: { readonly account: string }) {
  const orders = useGetList('/admin/v1/accounts/{account}/orders', { path: { account } });
  return (
    <>
      {orders.error !== null && <Problem error={orders.error} onRetry={orders.retry} />}
      <DataTable
        label={t('Orders')}
        columns={columns()}
        compact={compact}
        rows={orders.rows}
        idOf={({ id }) => id}
        isLoading={orders.isLoading}
        isWhole
        empty={
          orders.error === null && (
            <EmptyState title={t('No order yet: an order is credit that a payment provider collects the money for.')} />
          )
        }
      />
      {orders.hasMore && <Button onClick={orders.onMore}>{t('Load more')}</Button>}
    </>
  );
}

export function CreditHead({ account }: { readonly account: string }) {
  const credit = useGet('/admin/v1/accounts/{account}/credits', { path: { account } });
  if (credit.isError) return <Problem error={credit.error} onRetry={() => void credit.refetch()} />;
  return credit.data === undefined ? <Skeleton rows={2} /> : <Balance credit={credit.data} />;
}
