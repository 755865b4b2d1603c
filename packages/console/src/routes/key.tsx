import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { useGet } from '../api/use-api.ts';
import { triviumLine } from '../format/shell.ts';
import { formatWhen } from '../format/when.ts';
import { locale, t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { adminCurl, CopyAs, CopyButton } from '../parts/base/copy.tsx';
import { Problem } from '../parts/base/problem.tsx';
import { Skeleton } from '../parts/base/skeleton.tsx';
import { Crumbs } from '../parts/page/crumbs.tsx';
import { NotFound } from '../parts/page/not-found.tsx';
import { Facts, PageFrame, Panel } from '../parts/page/page.tsx';
import { LastUsed } from '../parts/values/ago.tsx';
import { BudgetBar } from '../parts/values/budget-bar.tsx';
import { Id, Money, None, When } from '../parts/values/values.tsx';
import { useZone } from '../state/preferences.ts';
import { useSearchParams } from '../state/search.ts';
import { mayChangeKey, useMe } from '../state/session.ts';
import { Expires, KeyState, Prefix } from './keys/columns.tsx';
import { type FoundKey, RenameKey, RevokeKey, RotateKey } from './keys/key-actions.tsx';
import styles from './keys/keys.module.css';
import { LatestRequests } from './keys/latest-requests.tsx';
import { budgetWords, rightsInWords } from './keys/rights.ts';

/** By its id alone: the link may come from a log that names no account. */
export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const { account } = useSearchParams();
  const found = useGet('/admin/v1/keys', { query: { q: id, ...(account !== undefined && { account }) } });
  if (found.isError) return <Failed title={id} error={found.error} onRetry={() => void found.refetch()} />;
  if (found.data === undefined)
    return (
      <PageFrame title={t('Key')}>
        <Skeleton />
      </PageFrame>
    );
  const key = found.data.items.find((each) => each.id === id);
  return key === undefined ? <NotFound /> : <KeyPage key={id} found={key} />;
}

const Failed = ({
  title,
  error,
  onRetry,
}: {
  readonly title: string;
  readonly error: Error;
  readonly onRetry: () => void;
}) => (
  <PageFrame title={title}>
    <Problem error={error} onRetry={onRetry} />
  </PageFrame>
);

type Doing = 'rename' | 'rotate' | 'revoke';

function KeyPage({ found }: { readonly found: FoundKey }) {
  const { id, accountId, name, state } = found;
  const zone = useZone();
  const mayChange = mayChangeKey(useMe(), found);
  const [doing, setDoing] = useState<Doing>();
  const budgets = useGet('/admin/v1/accounts/{account}/budgets', { path: { account: accountId } });
  const own = (budgets.data?.items ?? []).filter(({ scope }) => scope === `key:${id}`);
  const close = (): void => setDoing(undefined);
  const path = `/admin/v1/accounts/${encodeURIComponent(accountId)}/keys/${encodeURIComponent(id)}`;
  return (
    <PageFrame
      title={name}
      heading={
        <Crumbs section={t('Keys')} to="/keys" title={name}>
          <KeyState state={state} />
        </Crumbs>
      }
      actions={
        <>
          <CopyAs
            forms={[
              { name: 'curl', text: () => adminCurl('GET', path) },
              { name: 'trivium', text: () => triviumLine(['keys', 'show', accountId, id]) },
            ]}
          />
          {mayChange && state !== 'revoked' && found.source === 'database' && (
            <>
              <Button onClick={() => setDoing('rename')}>{t('Rename')}</Button>
              <Button onClick={() => setDoing('rotate')}>{t('Rotate')}</Button>
              <Button kind="danger" onClick={() => setDoing('revoke')}>
                {t('Revoke')}
              </Button>
            </>
          )}
        </>
      }
    >
      {found.previousUntil !== null && Date.parse(found.previousUntil) > Date.now() && (
        <p className={styles['note']}>
          {t('The secret before the last rotation still works until {until}.', {
            until: formatWhen(found.previousUntil, zone, Date.now(), locale()),
          })}
        </p>
      )}
      {found.source === 'file' && (
        <p className={styles['note']}>{t('This key is defined in the configuration file; change it there.')}</p>
      )}
      <KeyFacts found={found} />
      <Panel title={t('Rights and budgets')}>
        <ul className={styles['words']}>
          {rightsInWords(found.rights, [], zone).map((sentence) => (
            <li key={sentence}>
              <bdi>{sentence}</bdi>
            </li>
          ))}
        </ul>
        {budgets.isError && <Problem error={budgets.error} onRetry={() => void budgets.refetch()} />}
        <KeyBudgets budgets={own} />
      </Panel>
      <LatestRequests account={accountId} keyId={id} />
      {doing === 'rename' && <RenameKey found={found} onClose={close} />}
      <RotateKey found={found} isOpen={doing === 'rotate'} onClose={close} />
      <RevokeKey found={found} isOpen={doing === 'revoke'} onClose={close} />
    </PageFrame>
  );
}

const MemberLink = ({ found: { accountId, memberId } }: { readonly found: FoundKey }) =>
  memberId === null ? (
    <None />
  ) : (
    <Link to={'/accounts/$id' as string} params={{ id: accountId } as never} search={{ tab: 'members' } as never}>
      <Id text={memberId} />
    </Link>
  );

const KeyFacts = ({ found }: { readonly found: FoundKey }) => (
  <Facts
    facts={[
      [
        t('Account'),
        <Link key="account" to={'/accounts/$id' as string} params={{ id: found.accountId } as never}>
          {found.accountId}
        </Link>,
      ],
      [t('Member'), <MemberLink key="member" found={found} />],
      [t('Starts with'), <Prefix key="prefix" text={found.prefix} />],
      [
        t('Id'),
        <span key="id" className={styles['copied']}>
          <Id text={found.id} />
          <CopyButton text={found.id} />
        </span>,
      ],
      [t('Spent in 30 d'), <Money key="spent" usd={found.spent30dUsd} />],
      [t('Last used'), <LastUsed key="used" at={found.lastUsedAt} />],
      [t('Expires (UTC)'), <Expires key="expires" at={found.rights.expiresAt} />],
      [t('Created'), <When key="created" at={found.createdAt} />],
      ...(found.parentId === null
        ? []
        : [
            [
              t('Made with'),
              <Link
                key="parent"
                to={'/keys/$id' as string}
                params={{ id: found.parentId } as never}
                search={{ account: found.accountId } as never}
              >
                <Id text={found.parentId} />
              </Link>,
            ] as const,
          ]),
      ...(found.revokedAt === null ? [] : [[t('Revoked'), <When key="revoked" at={found.revokedAt} />] as const]),
    ]}
  />
);

const KeyBudgets = ({ budgets }: { readonly budgets: readonly Schemas['Budget'][] }) =>
  budgets.length === 0 ? (
    <p className={styles['muted']}>{t('No budget of its own.')}</p>
  ) : (
    <div className={styles['budgets']}>
      {budgets.map((budget) => (
        <BudgetLine key={budget.span} budget={budget} />
      ))}
    </div>
  );

const BudgetLine = ({ budget }: { readonly budget: Schemas['Budget'] }) => (
  <>
    <span>{budgetWords(budget)}</span>
    <BudgetBar {...budget} />
    <span>
      {t('Spent')} <Money usd={budget.spentUsd} />
    </span>
  </>
);
