/** What all keys of an account may use together, in a minute and at once. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { invalidate } from '../../api/use-api.ts';
import { formatUsd } from '../../format/money.ts';
import { formatCount } from '../../format/numbers.ts';
import { triviumLine } from '../../format/shell.ts';
import { locale, t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { EmptyState } from '../../parts/base/empty-state.tsx';
import { Field } from '../../parts/form/field.tsx';
import { FieldRow } from '../../parts/form/form.tsx';
import { WriteDialog } from '../../parts/form/write-dialog.tsx';
import { Facts } from '../../parts/page/page.tsx';
import { hasRole, useMe } from '../../state/session.ts';
import styles from './accounts.module.css';
import { type Account, accountPath } from './names.tsx';

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

const limitNames = (): Readonly<Record<keyof Limits, string>> => ({
  requestsPerMinute: t('Requests a minute'),
  burst: t('Burst of requests'),
  tokensPerMinute: t('Tokens a minute'),
  usdPerMinute: t('US dollars a minute'),
  inFlight: t('Requests at once'),
});

const limitText = (member: keyof Limits, value: number): string =>
  (member === 'usdPerMinute' ? formatUsd(String(value), locale()) : undefined) ?? formatCount(value, locale());

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
          facts={MEMBERS.flatMap((member) => {
            const value = rateLimits[member];
            return value === undefined ? [] : [[limitNames()[member], limitText(member, value)] as const];
          })}
        />
      )}
      {isSetting && <SetLimits account={account} onClose={() => setSetting(false)} />}
    </>
  );
}

function SetLimits({ account, onClose }: { readonly account: Account; readonly onClose: () => void }) {
  const client = useQueryClient();
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(MEMBERS.map((member) => [member, String(account.rateLimits?.[member] ?? '')])),
  );
  const given = MEMBERS.filter((member) => texts[member]?.trim());
  const rateLimits = given.length === 0 ? null : Object.fromEntries(given.map((each) => [each, Number(texts[each])]));
  const change = { path: { account: account.id }, body: { rateLimits } };
  const field = (member: keyof Limits, hint?: string) => (
    <Field label={limitNames()[member]} hint={hint}>
      <input
        type="number"
        {...(member === 'usdPerMinute' ? { step: 'any', min: 0 } : { min: 1 })}
        value={texts[member] ?? ''}
        onChange={(event) => setTexts({ ...texts, [member]: event.target.value })}
      />
    </Field>
  );
  return (
    <WriteDialog
      title={t('Set rate limits')}
      action={t('Save')}
      onClose={onClose}
      onSave={async () => {
        await call('patch', PATH, change);
        invalidate(client, [PATH]);
      }}
      command={{
        method: 'PATCH',
        path: accountPath(account.id),
        body: change.body,
        cli: triviumLine(
          ['accounts', 'change', account.id],
          rateLimits === null ? [['no-rates', true]] : given.map((each) => [OPTIONS[each], rateLimits[each]]),
        ),
      }}
    >
      <p>{t('Empty: as in the configuration file.')}</p>
      <FieldRow>
        {field('requestsPerMinute')}
        {field('burst', t('At once, before the pace of a minute holds.'))}
      </FieldRow>
      <FieldRow>
        {field('tokensPerMinute', t('Input and output.'))}
        {field('usdPerMinute')}
      </FieldRow>
      <FieldRow>{field('inFlight')}</FieldRow>
    </WriteDialog>
  );
}
