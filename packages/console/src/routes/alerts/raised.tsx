/** Alerts: those that are open, or all. Operators mark them as seen. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call, type Schemas } from '../../api/client.ts';
import { useChange } from '../../api/use-api.ts';
import { useList } from '../../api/use-list.ts';
import type { Search } from '../../format/search.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { CodeBlock } from '../../parts/base/code-block.tsx';
import { Commands } from '../../parts/base/commands.tsx';
import { adminCurl, CopyAs } from '../../parts/base/copy.tsx';
import { Dialog, DialogActions } from '../../parts/base/dialog.tsx';
import { EmptyState } from '../../parts/base/empty-state.tsx';
import { Problem } from '../../parts/base/problem.tsx';
import { controlClass } from '../../parts/form/field.tsx';
import { type Column, DataTable } from '../../parts/list/data-table.tsx';
import styles from '../../parts/list/lists.module.css';
import { NotListed } from '../../parts/list/not-listed.tsx';
import { Facts } from '../../parts/page/page.tsx';
import { Id, None, Tag, When } from '../../parts/values/values.tsx';
import { useSearchParams, useSetSearch } from '../../state/search.ts';
import { hasRole, useMe } from '../../state/session.ts';
import { ALERT_KINDS, type AlertKind, KIND_TAGS, kindNames } from './kinds.ts';

type Alert = Schemas['Alert'];

const REFRESH_MS = 30_000;

const isOpen = ({ resolvedAt, acknowledgedAt }: Alert): boolean => resolvedAt === null && acknowledgedAt === null;

function State({ alert }: { readonly alert: Alert }) {
  if (alert.resolvedAt !== null) return <Tag kind="ok" text={t('resolved')} />;
  if (alert.acknowledgedAt !== null) return <Tag text={t('seen')} />;
  return <Tag kind="bad" text={t('open')} />;
}

const AlertLink = ({ alert: { id, title } }: { readonly alert: Alert }) => (
  <Link to="/alerts" search={((before: Search) => ({ ...before, alert: id })) as never} title={title}>
    {title}
  </Link>
);

export const alertColumns = (): readonly Column<Alert>[] => [
  { id: 'at', title: t('Raised'), width: '136px', cell: ({ raisedAt }) => <When at={raisedAt} /> },
  {
    id: 'kind',
    title: t('Kind'),
    width: '168px',
    cell: ({ kind }) => <Tag kind={KIND_TAGS[kind]} text={kindNames()[kind]} />,
  },
  {
    id: 'title',
    title: t('What'),
    width: 'minmax(240px, 3fr)',
    cell: (alert) => <AlertLink alert={alert} />,
  },
  { id: 'account', title: t('Account'), width: 'minmax(80px, 1fr)', cell: ({ accountId }) => accountId ?? <None /> },
  { id: 'state', title: t('State'), width: '88px', cell: (alert) => <State alert={alert} /> },
];

const compact = (alert: Alert) => (
  <div className={styles['compact']}>
    <span>
      <span className={styles['clipped']}>
        <AlertLink alert={alert} />
      </span>
    </span>
    <span className={styles['second']}>
      <When at={alert.raisedAt} /> <State alert={alert} />
    </span>
  </div>
);

export function Raised({ account }: { readonly account: string | undefined }) {
  const { kind, state, alert: openId } = useSearchParams();
  const setSearch = useSetSearch();
  const query = {
    limit: '100',
    ...(state !== 'all' && { state: 'open' as const }),
    ...(kind !== undefined && { kind: kind as AlertKind }),
  };
  const list = useList<Alert>(
    ['/admin/v1/alerts', account, query],
    (after, signal) =>
      account === undefined
        ? call('get', '/admin/v1/alerts', { query: { ...query, after } }, signal)
        : call('get', '/admin/v1/accounts/{account}/alerts', { path: { account }, query: { ...query, after } }, signal),
    { refreshMs: REFRESH_MS },
  );
  const shown = list.rows.find(({ id }) => id === openId);
  const close = (): void => setSearch({ alert: undefined });
  const hasFilter = kind !== undefined || state === 'all';
  const path = account === undefined ? '/admin/v1/alerts' : `/admin/v1/accounts/${account}/alerts`;
  const flags = [
    ...(state === 'all' ? [] : ['--open']),
    ...(kind === undefined ? [] : [`--kind ${kind}`]),
    ...(account === undefined ? [] : [`--account ${account}`]),
  ];
  return (
    <>
      <search className={styles['tools']}>
        <select
          className={controlClass}
          aria-label={t('State')}
          value={state === 'all' ? 'all' : ''}
          onChange={(event) => setSearch({ state: event.target.value })}
        >
          <option value="">{t('Open')}</option>
          <option value="all">{t('All, the closed ones too')}</option>
        </select>
        <select
          className={controlClass}
          aria-label={t('Kind')}
          value={kind ?? ''}
          onChange={(event) => setSearch({ kind: event.target.value })}
        >
          <option value="">{t('All kinds')}</option>
          {ALERT_KINDS.map((each) => (
            <option key={each} value={each}>
              {kindNames()[each]}
            </option>
          ))}
        </select>
        <CopyAs
          forms={[
            { name: 'curl', text: () => adminCurl('GET', `${path}?${new URLSearchParams(query)}`) },
            { name: 'trivium', text: () => ['trivium alerts list', ...flags].join(' ') },
          ]}
        />
      </search>
      {list.error !== null && <Problem error={list.error} onRetry={list.retry} />}
      <NotListed id={openId} list={list} />
      <DataTable
        label={t('Alerts')}
        columns={alertColumns()}
        rows={list.rows}
        idOf={({ id }) => id}
        isLoading={list.isLoading}
        isWhole
        onOpen={({ id }) => setSearch({ alert: id })}
        compact={compact}
        empty={
          list.error === null && (
            <EmptyState title={state === 'all' ? t('No alert was raised.') : t('No alert is open.')}>
              {hasFilter ? (
                <Button onClick={() => setSearch({ kind: undefined, state: undefined })}>{t('Clear filters')}</Button>
              ) : (
                <Button onClick={() => setSearch({ state: 'all' })}>{t('Show closed alerts')}</Button>
              )}
            </EmptyState>
          )
        }
      />
      {list.hasMore && <Button onClick={list.onMore}>{t('Show more')}</Button>}
      {shown !== undefined && (
        <Dialog title={kindNames()[shown.kind]} kind="drawer" isOpen onClose={close}>
          <AlertDetail alert={shown} onDone={close} />
        </Dialog>
      )}
    </>
  );
}

function AlertDetail({ alert, onDone }: { readonly alert: Alert; readonly onDone: () => void }) {
  const isOperator = hasRole(useMe(), 'operator');
  const acknowledge = useChange('post', '/admin/v1/alerts/{id}/acknowledge', ['/admin/v1/alerts']);
  const facts: (readonly [string, ReactNode])[] = [
    [t('State'), <State key="state" alert={alert} />],
    [t('Raised'), <When key="raised" at={alert.raisedAt} />],
    [t('Last seen'), <When key="seen" at={alert.lastSeenAt} />],
    [t('Account'), alert.accountId ?? <None key="none" />],
    [t('Subject'), <Id key="subject" text={alert.subject} />],
  ];
  if (alert.resolvedAt !== null) facts.push([t('Resolved'), <When key="resolved" at={alert.resolvedAt} />]);
  if (alert.acknowledgedBy !== null) facts.push([t('Seen by'), <Id key="by" text={alert.acknowledgedBy} />]);
  return (
    <>
      <p>{alert.title}</p>
      <Facts facts={facts} />
      <CodeBlock title={t('Detail')} text={JSON.stringify(alert.detail, null, 2)} isTall />
      {isOperator && isOpen(alert) && (
        <>
          {acknowledge.error !== null && <Problem error={acknowledge.error} />}
          <DialogActions>
            <Button
              kind="primary"
              isBusy={acknowledge.isPending}
              onClick={() => acknowledge.mutate({ path: { id: alert.id } }, { onSuccess: onDone })}
            >
              {t('Acknowledge')}
            </Button>
          </DialogActions>
          <Commands
            method="POST"
            path={`/admin/v1/alerts/${alert.id}/acknowledge`}
            cli={`trivium alerts acknowledge ${alert.id}`}
          />
        </>
      )}
    </>
  );
}
