/** What all keys of an account may use together, in a minute and at once. */

import { useState } from 'react';
import { useWrite } from '../../api/use-api.ts';
import { formatUsd } from '../../format/money.ts';
import { formatCount } from '../../format/numbers.ts';
import { triviumLine } from '../../format/shell.ts';
import { locale, msg, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { EmptyState } from '../../parts/base/states.tsx';
import { Fields, useForm } from '../../parts/form/fields.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { Facts } from '../../parts/page/page.tsx';
import { hasRole, useMe } from '../../state/session.ts';
import styles from './accounts.module.css';
import type { Account } from './names.tsx';

type Limits = NonNullable<Account['rateLimits']>;

const PATH = '/admin/v1/accounts/{account}';

const OPTIONS: Readonly<Record<keyof Limits, string>> = {
  requestsPerMinute: 'rpm',
  burst: 'burst',
  tokensPerMinute: 'tpm',
  usdPerMinute: 'usd-per-minute',
  inFlight: 'in-flight',
};
const MEMBERS = Object.keys(OPTIONS) as readonly (keyof Limits)[];

const NAMES: Readonly<Record<keyof Limits, string>> = {
  requestsPerMinute: msg('Requests a minute'),
  burst: msg('Burst of requests'),
  tokensPerMinute: msg('Tokens a minute'),
  usdPerMinute: msg('US dollars a minute'),
  inFlight: msg('Requests at once'),
};

const HINTS: Readonly<Partial<Record<keyof Limits, string>>> = {
  burst: msg('At once, before the pace of a minute holds.'),
  tokensPerMinute: msg('Input and output.'),
};

export function AccountLimits({ account }: { readonly account: Account }) {
  const isOperator = hasRole(useMe(), 'operator');
  const [isSetting, setSetting] = useState(false);
  const { rateLimits } = account;
  return (
    <>
      <div className={styles['bar']}>
        <p className={styles['muted']}>
          {t('For all keys of the account together. What is not set is as in the configuration file.')}
        </p>
        {isOperator && <Button onClick={() => setSetting(true)}>{t('Set rate limits')}</Button>}
      </div>
      {rateLimits === null ? (
        <EmptyState title={t('No rate limits of its own: those in the configuration file apply.')} />
      ) : (
        <Facts
          facts={MEMBERS.map((member) => {
            const value = rateLimits[member];
            if (value === undefined) return false;
            const usd = member === 'usdPerMinute' ? formatUsd(String(value), locale()) : undefined;
            return [t(NAMES[member]), usd ?? formatCount(value, locale())];
          })}
        />
      )}
      {isSetting && <SetLimits account={account} onClose={() => setSetting(false)} />}
    </>
  );
}

function SetLimits({ account, onClose }: { readonly account: Account; readonly onClose: () => void }) {
  const write = useWrite();
  const [form, set] = useForm(
    Object.fromEntries(MEMBERS.map((member) => [member, String(account.rateLimits?.[member] ?? '')])),
  );
  const given = MEMBERS.filter((member) => form[member]?.trim());
  const rateLimits = given.length === 0 ? null : Object.fromEntries(given.map((each) => [each, Number(form[each])]));
  return (
    <WriteDialog
      title={t('Set rate limits')}
      onClose={onClose}
      write={write('patch', PATH, { path: { account: account.id }, body: { rateLimits } }, [PATH])}
      cli={triviumLine(
        ['accounts', 'change', account.id],
        rateLimits === null ? [['no-rates', true]] : given.map((each) => [OPTIONS[each], rateLimits[each]]),
      )}
    >
      <p>{t('Empty: as in the configuration file.')}</p>
      {[MEMBERS.slice(0, 2), MEMBERS.slice(2, 4), MEMBERS.slice(4)].map((members) => (
        <Fields
          key={members[0]}
          form={[form, set]}
          rows={[
            members.map((name) => ({
              name,
              label: t(NAMES[name]),
              hint: HINTS[name] && t(HINTS[name]),
              type: 'number',
              ...(name === 'usdPerMinute' ? { step: 'any', min: 0 } : { min: 1 }),
            })),
          ]}
        />
      ))}
    </WriteDialog>
  );
}
