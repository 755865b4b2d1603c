/** One account: what it has, and what belongs to it. */

import { useParams } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { useGet } from '../api/use-api.ts';
import { triviumLine } from '../format/shell.ts';
import { t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { CopyAs, readForms } from '../parts/base/copy.tsx';
import { lazyPart } from '../parts/base/lazy-part.ts';
import { Skeleton } from '../parts/base/states.tsx';
import { Crumbs, LoadedPage, PageFrame } from '../parts/page/page.tsx';
import { Tabs } from '../parts/page/tabs.tsx';
import { Id, Tag } from '../parts/values/values.tsx';
import { hasRole, useMe } from '../state/session.ts';
import { RenameAccount, RestoreAccount, SuspendAccount } from './accounts/account-actions.tsx';
import { AccountAudit } from './accounts/account-audit.tsx';
import { AccountKeys } from './accounts/account-keys.tsx';
import { AccountOverview } from './accounts/account-overview.tsx';
import { AccountBudgets } from './accounts/budgets.tsx';
import { AddCredit, CreditHead, Orders } from './accounts/credit.tsx';
import { AccountGroup } from './accounts/group.tsx';
import { Ledger } from './accounts/ledger.tsx';
import { AccountLimits } from './accounts/limits.tsx';
import { Members } from './accounts/members.tsx';
import { type Account, AccountLink, AccountStatus, accountPath, KIND_NAMES } from './accounts/names.tsx';
import { AccountTerms } from './accounts/terms.tsx';
import { Webhooks } from './accounts/webhooks.tsx';

/** Also a dialog of a page of its own, which loads it when it is opened. */
const AccountCapture = lazyPart(() => import('./accounts/capture.tsx'), 'AccountCapture');

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  return (
    <LoadedPage of={useGet('/admin/v1/accounts/{account}', { path: { account: id } })} title={id}>
      {(account) => <AccountPage key={id} account={account} />}
    </LoadedPage>
  );
}

function AccountPage({ account }: { readonly account: Account }) {
  const { id, name, kind, status, parentId } = account;
  const me = useMe();
  const isOperator = hasRole(me, 'operator');
  const [doing, setDoing] = useState<'credit' | 'rename' | 'suspend' | 'restore'>();
  const close = (): void => setDoing(undefined);
  return (
    <PageFrame
      title={name}
      heading={
        <Crumbs section={t('Accounts')} to="/accounts" title={name}>
          {name !== id && <Id text={id} />}
          <Tag text={t(KIND_NAMES[kind])} />
          <AccountStatus status={status} />
          {parentId !== null && isOperator && (
            <AccountLink id={parentId} text={t('below {parent}', { parent: parentId })} />
          )}
        </Crumbs>
      }
      actions={
        <>
          <CopyAs forms={readForms(accountPath(id), triviumLine(['accounts', 'show', id]))} />
          {isOperator && (
            <>
              <Button onClick={() => setDoing('credit')}>{t('Add credit')}</Button>
              <Button onClick={() => setDoing('rename')}>{t('Rename')}</Button>
              {status === 'active' ? (
                <Button kind="danger" onClick={() => setDoing('suspend')}>
                  {t('Suspend')}
                </Button>
              ) : (
                <Button onClick={() => setDoing('restore')}>{t('Restore')}</Button>
              )}
            </>
          )}
        </>
      }
    >
      <CreditHead account={id} />
      <Tabs
        label={name}
        items={[
          { id: 'overview', text: t('Overview'), content: <AccountOverview account={id} /> },
          { id: 'members', text: t('Members'), content: <Members account={id} /> },
          { id: 'keys', text: t('Keys'), content: <AccountKeys account={id} /> },
          { id: 'budgets', text: t('Budgets'), content: <AccountBudgets account={id} /> },
          { id: 'limits', text: t('Rate limits'), content: <AccountLimits account={account} /> },
          { id: 'group', text: t('Group'), content: <AccountGroup account={id} /> },
          { id: 'credit', text: t('Orders'), content: <Orders account={id} /> },
          { id: 'ledger', text: t('Ledger'), content: <Ledger account={id} /> },
          { id: 'terms', text: t('Terms'), content: <AccountTerms account={id} /> },
          {
            id: 'content',
            text: t('Content'),
            content: (
              <Suspense fallback={<Skeleton />}>
                <AccountCapture account={id} />
              </Suspense>
            ),
          },
          { id: 'webhooks', text: t('Webhooks'), content: <Webhooks account={id} /> },
          ...(hasRole(me, 'admin') ? [{ id: 'audit', text: t('Audit'), content: <AccountAudit account={id} /> }] : []),
        ]}
      />
      {doing === 'credit' && <AddCredit account={id} onClose={close} />}
      {doing === 'rename' && <RenameAccount account={account} onClose={close} />}
      {doing === 'suspend' && <SuspendAccount account={account} onClose={close} />}
      {doing === 'restore' && <RestoreAccount account={account} onClose={close} />}
    </PageFrame>
  );
}
