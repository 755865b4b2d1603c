/** What an account pays in relation to the catalogue: a markup or a discount, now and before. */

import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useGet, useWrite } from '../../api/use-api.ts';
import { wholeList } from '../../api/use-list.ts';
import { triviumLine } from '../../format/shell.ts';
import { locale, msg, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { Fields, useForm } from '../../parts/form/fields.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import type { Column } from '../../parts/list/columns.tsx';
import { Compact, List } from '../../parts/list/list.tsx';
import { When } from '../../parts/values/values.tsx';
import { hasRole, useMe } from '../../state/session.ts';
import styles from './accounts.module.css';

type Terms = Schemas['Terms'];

const PATH = '/admin/v1/accounts/{account}/terms';

function changeText({ changePercent: percent }: Terms): string {
  if (percent === null || percent === 0) return t('as in the catalogue');
  const shown = new Intl.NumberFormat(locale(), { maximumFractionDigits: 4, signDisplay: 'always' }).format(percent);
  return percent > 0 ? t('{percent} % (markup)', { percent: shown }) : t('{percent} % (discount)', { percent: shown });
}

const COLUMNS: readonly Column<Terms>[] = [
  { of: 'from', as: 'when', title: msg('From'), width: '180px' },
  { id: 'change', title: msg('Prices'), width: 'minmax(160px, 1fr)', cell: changeText },
  { of: 'createdAt', as: 'when', title: msg('Set'), width: '180px' },
];

export function AccountTerms({ account }: { readonly account: string }) {
  const isOperator = hasRole(useMe(), 'operator');
  const [isSetting, setSetting] = useState(false);
  return (
    <>
      <div className={styles['bar']}>
        <p className={styles['muted']}>{t('The latest first. Terms in the configuration file come before these.')}</p>
        {isOperator && <Button onClick={() => setSetting(true)}>{t('Set terms')}</Button>}
      </div>
      <List
        label={t('Terms')}
        list={wholeList(useGet(PATH, { path: { account } }))}
        columns={COLUMNS}
        compact={(terms) => (
          <Compact
            first={changeText(terms)}
            end={<When at={terms.from} />}
            second={
              <>
                {t('Set')} <When at={terms.createdAt} />
              </>
            }
          />
        )}
        idOf={({ createdAt, from }) => `${from} ${createdAt}`}
        empty={t('The account pays the prices of the catalogue.')}
      />
      {isSetting && <SetTerms account={account} onClose={() => setSetting(false)} />}
    </>
  );
}

function SetTerms({ account, onClose }: { readonly account: string; readonly onClose: () => void }) {
  const write = useWrite();
  const [form, set] = useForm({ percent: '', from: '' });
  const changePercent = form.percent.trim() === '' ? null : Number(form.percent);
  const from = form.from === '' ? undefined : form.from;
  const word = changePercent === null ? 'none' : `${changePercent > 0 ? '+' : ''}${changePercent}`;
  const body = { changePercent, ...(from !== undefined && { from }) };
  return (
    <WriteDialog
      title={t('Set terms')}
      onClose={onClose}
      write={write('post', PATH, { path: { account }, body }, [PATH, '/admin/v1/models'])}
      cli={triviumLine(['prices', 'terms', account, word], [['from', from]])}
      isReady={changePercent === null || Number.isFinite(changePercent)}
    >
      <Fields
        form={[form, set]}
        rows={[
          [
            {
              name: 'percent',
              label: t('Change in percent'),
              hint: t('15: markup. −20: discount. Empty: as in the catalogue.'),
              type: 'number',
              step: 'any',
            },
            { name: 'from', label: t('First day'), hint: t('UTC. Empty: at once.'), type: 'date' },
          ],
        ]}
      />
    </WriteDialog>
  );
}
