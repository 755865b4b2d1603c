/** One key. By its id alone: the link may come from a log that names no account. */

import { Link, useParams } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { scopedPath } from '../api/client.ts';
import { useGet } from '../api/use-api.ts';
import { triviumLine } from '../format/shell.ts';
import { formatWhen } from '../format/when.ts';
import { locale, t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { CopyAs, CopyButton, readForms } from '../parts/base/copy.tsx';
import { QueryProblem } from '../parts/base/states.tsx';
import { Crumbs, Facts, LoadedPage, NotFound, PageFrame, Panel } from '../parts/page/page.tsx';
import { BudgetBar } from '../parts/values/budget-bar.tsx';
import { Id, LastUsed, Money, None, When } from '../parts/values/values.tsx';
import { useZone } from '../state/preferences.ts';
import { place, useSearchParams } from '../state/search.ts';
import { hasRole, mayChangeKey, useMe } from '../state/session.ts';
import { Expires, KeyState, Prefix } from './keys/columns.tsx';
import { type FoundKey, RenameKey, RevokeKey, RotateKey } from './keys/key-actions.tsx';
import { KeyLinks } from './keys/key-links.tsx';
import styles from './keys/keys.module.css';
import { LatestRequests } from './keys/latest-requests.tsx';
import { budgetWords, rightsInWords } from './keys/rights.ts';

export function Page() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const { account } = useSearchParams();
  const found = useGet('/admin/v1/keys', { query: { q: id, ...(account !== undefined && { account }) } });
  return (
    <LoadedPage of={found} title={found.isError ? id : t('Key')}>
      {({ items }) => {
        const key = items.find((each) => each.id === id);
        return key === undefined ? <NotFound /> : <KeyPage key={id} found={key} />;
      }}
    </LoadedPage>
  );
}

function KeyPage({ found }: { readonly found: FoundKey }) {
  const { id, accountId, name, state, source, previousUntil } = found;
  const zone = useZone();
  const me = useMe();
  const mayChange = mayChangeKey(me, found);
  const [doing, setDoing] = useState<'rename' | 'rotate' | 'revoke'>();
  const budgets = useGet('/admin/v1/accounts/{account}/budgets', { path: { account: accountId } });
  const own = (budgets.data?.items ?? []).filter(({ scope }) => scope === `key:${id}`);
  const close = (): void => setDoing(undefined);
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
            forms={readForms(
              scopedPath(`keys/${encodeURIComponent(id)}`, accountId),
              triviumLine(['keys', 'show', accountId, id]),
            )}
          />
          {mayChange && state !== 'revoked' && source === 'database' && (
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
      {previousUntil !== null && Date.parse(previousUntil) > Date.now() && (
        <p className={styles['note']}>
          {t('The secret before the last rotation still works until {until}.', {
            until: formatWhen(previousUntil, zone, Date.now(), locale()),
          })}
        </p>
      )}
      {source === 'file' && (
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
        <QueryProblem of={budgets} />
        {own.length === 0 ? (
          <p className={styles['muted']}>{t('No budget of its own.')}</p>
        ) : (
          <div className={styles['budgets']}>
            {own.map((budget) => (
              <Fragment key={budget.span}>
                <span>{budgetWords(budget)}</span>
                <BudgetBar {...budget} />
                <span>
                  {t('Spent')} <Money usd={budget.spentUsd} />
                </span>
              </Fragment>
            ))}
          </div>
        )}
      </Panel>
      {hasRole(me, 'admin') && source === 'database' && <KeyLinks account={accountId} keyId={id} />}
      <LatestRequests account={accountId} keyId={id} />
      {doing === 'rename' && <RenameKey found={found} onClose={close} />}
      <RotateKey found={found} isOpen={doing === 'rotate'} onClose={close} />
      <RevokeKey found={found} isOpen={doing === 'revoke'} onClose={close} />
    </PageFrame>
  );
}

const KeyFacts = ({ found }: { readonly found: FoundKey }) => {
  const { id, accountId, memberId, parentId, revokedAt } = found;
  return (
    <Facts
      facts={[
        [
          t('Account'),
          <Link key="account" {...place('/accounts/$id', { id: accountId })}>
            {accountId}
          </Link>,
        ],
        [
          t('Member'),
          memberId === null ? (
            <None key="member" />
          ) : (
            <Link key="member" {...place('/accounts/$id', { id: accountId }, { tab: 'members' })}>
              <Id text={memberId} />
            </Link>
          ),
        ],
        [t('Starts with'), <Prefix key="prefix" prefix={found.prefix} />],
        [
          t('Id'),
          <span key="id" className={styles['copied']}>
            <Id text={id} />
            <CopyButton text={id} />
          </span>,
        ],
        [t('Spent in 30 d'), <Money key="spent" usd={found.spent30dUsd} />],
        [t('Last used'), <LastUsed key="used" at={found.lastUsedAt} />],
        [t('Expires (UTC)'), <Expires key="expires" rights={found.rights} />],
        [t('Created'), <When key="created" at={found.createdAt} />],
        parentId !== null && [
          t('Made with'),
          <Link key="parent" {...place('/keys/$id', { id: parentId }, { account: accountId })}>
            <Id text={parentId} />
          </Link>,
        ],
        revokedAt !== null && [t('Revoked'), <When key="revoked" at={revokedAt} />],
      ]}
    />
  );
};
