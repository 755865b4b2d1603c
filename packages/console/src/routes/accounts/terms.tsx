/** What an account pays in relation to the catalogue: a markup or a discount, now and before. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Schemas } from '../../api/client.ts';
import { invalidate, useGet } from '../../api/use-api.ts';
import { triviumLine } from '../../format/shell.ts';
import { locale, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { EmptyState } from '../../parts/base/empty-state.tsx';
import { Problem } from '../../parts/base/problem.tsx';
import { Field } from '../../parts/form/field.tsx';
import { FieldRow } from '../../parts/form/form.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { type Column, DataTable } from '../../parts/list/data-table.tsx';
import lists from '../../parts/list/lists.module.css';
import { When } from '../../parts/values/values.tsx';
import { hasRole, useMe } from '../../state/session.ts';
import styles from './accounts.module.css';
import { accountPath } from './names.tsx';

type Terms = Schemas['Terms'];

const PATH = '/admin/v1/accounts/{account}/terms';

function changeText(percent: number | null): string {
  if (percent === null || percent === 0) return t('as in the catalogue');
  const shown = new Intl.NumberFormat(locale(), { maximumFractionDigits: 4, signDisplay: 'always' }).format(percent);
  return percent > 0 ? t('{percent} % (markup)', { percent: shown }) : t('{percent} % (discount)', { percent: shown });
}

const columns = (): readonly Column<Terms>[] => [
  { id: 'from', title: t('From'), width: '180px', cell: ({ from }) => <When at={from} /> },
  {
    id: 'change',
    title: t('Prices'),
    width: 'minmax(160px, 1fr)',
    cell: ({ changePercent }) => changeText(changePercent),
  },
  { id: 'set', title: t('Set'), width: '180px', cell: ({ createdAt }) => <When at={createdAt} /> },
];

const compact = ({ from, changePercent, createdAt }: Terms) => (
  <div className={lists['compact']}>
    <span>
      {changeText(changePercent)}
      <span className={lists['push']}>
        <When at={from} />
      </span>
    </span>
    <span className={lists['second']}>
      {t('Set')} <When at={createdAt} />
    </span>
  </div>
);

export function AccountTerms({ account }: { readonly account: string }) {
  const isOperator = hasRole(useMe(), 'operator');
  const terms = useGet(PATH, { path: { account } });
  const [isSetting, setSetting] = useState(false);
  return (
    <>
      <div className={styles['bar']}>
        <p className={styles['muted']}>{t('The latest first. Terms in the configuration file come before these.')}</p>
        {isOperator && <Button onClick={() => setSetting(true)}>{t('Set terms')}</Button>}
      </div>
      {terms.isError && <Problem error={terms.error} onRetry={() => void terms.refetch()} />}
      <DataTable
        label={t('Terms')}
        columns={columns()}
        compact={compact}
        rows={terms.data?.items ?? []}
        idOf={({ createdAt, from }) => `${from} ${createdAt}`}
        isLoading={terms.isLoading}
        isWhole
        empty={!terms.isError && <EmptyState title={t('The account pays the prices of the catalogue.')} />}
      />
      {isSetting && <SetTerms account={account} onClose={() => setSetting(false)} />}
    </>
  );
}

function SetTerms({ account, onClose }: { readonly account: string; readonly onClose: () => void }) {
  const client = useQueryClient();
  const [percent, setPercent] = useState('');
  const [from, setFrom] = useState('');
  const changePercent = percent.trim() === '' ? null : Number(percent);
  const body = { changePercent, ...(from !== '' && { from }) };
  const word = changePercent === null ? 'none' : `${changePercent > 0 ? '+' : ''}${changePercent}`;
  return (
    <WriteDialog
      title={t('Set terms')}
      action={t('Save')}
      onClose={onClose}
      onSave={async () => {
        await call('post', PATH, { path: { account }, body });
        invalidate(client, [PATH, '/admin/v1/models']);
      }}
      isReady={changePercent === null || Number.isFinite(changePercent)}
      command={{
        method: 'POST',
        path: accountPath(account, '/terms'),
        body,
        cli: triviumLine(['prices', 'terms', account, word], [['from', body.from]]),
      }}
    >
      <FieldRow>
        <Field label={t('Change in percent')} hint={t('15: markup. −20: discount. Empty: as in the catalogue.')}>
          <input type="number" step="any" value={percent} onChange={(event) => setPercent(event.target.value)} />
        </Field>
        <Field label={t('First day')} hint={t('UTC. Empty: at once.')}>
          <input type="date" value={from} onChange={(event) => setFrom(event.target.value)} />
        </Field>
      </FieldRow>
    </WriteDialog>
  );
}
