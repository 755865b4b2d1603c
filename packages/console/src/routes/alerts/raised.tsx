/** Alerts: those that are open, or all. Operators mark them as seen. */

import { Link } from '@tanstack/react-router';
import { callScoped, type Schemas, scopedPath } from '../../api/client.ts';
import { useChange } from '../../api/use-api.ts';
import { useList } from '../../api/use-list.ts';
import { rangeText } from '../../format/range.ts';
import type { Search } from '../../format/search.ts';
import { triviumLine } from '../../format/shell.ts';
import { msg, t, translated } from '../../i18n/t.ts';
import { Button, buttonClass } from '../../parts/base/button.tsx';
import { CodeBlock, Commands, CopyAs, readForms } from '../../parts/base/copy.tsx';
import { Dialog, DialogActions } from '../../parts/base/dialog.tsx';
import { EmptyState, Problem } from '../../parts/base/states.tsx';
import { SearchSelect } from '../../parts/form/fields.tsx';
import type { Column } from '../../parts/list/columns.tsx';
import { Compact, List } from '../../parts/list/list.tsx';
import styles from '../../parts/list/lists.module.css';
import { NotListed } from '../../parts/list/not-listed.tsx';
import { Facts } from '../../parts/page/page.tsx';
import { Id, None, Tag, When } from '../../parts/values/values.tsx';
import { place, useSearchParams, useSetSearch } from '../../state/search.ts';
import { hasRole, useMe } from '../../state/session.ts';
import { alertInWords } from './alert-words.ts';
import { ALERT_NAMES, type AlertKind, alertTag } from './kinds.ts';

type Alert = Schemas['Alert'];

const REFRESH_MS = 30_000;

function State({ resolvedAt, acknowledgedAt }: Alert) {
  if (resolvedAt !== null) return <Tag kind="ok" text={t('resolved')} />;
  return acknowledgedAt === null ? <Tag kind="bad" text={t('open')} /> : <Tag text={t('seen')} />;
}

function AlertLink(alert: Alert) {
  const words = alertInWords(alert);
  return (
    <Link to="/alerts" search={((before: Search) => ({ ...before, alert: alert.id })) as never} title={words}>
      {words}
    </Link>
  );
}

export const ALERT_COLUMNS: readonly Column<Alert>[] = [
  { of: 'raisedAt', as: 'when', title: msg('Raised'), width: '136px' },
  {
    id: 'kind',
    title: msg('Kind'),
    width: '168px',
    cell: ({ kind }) => <Tag kind={alertTag(kind)} text={t(ALERT_NAMES[kind])} />,
  },
  { id: 'title', title: msg('What'), width: 'minmax(240px, 3fr)', cell: AlertLink },
  { of: 'accountId', as: 'text', title: msg('Account'), width: 'minmax(80px, 1fr)' },
  { id: 'state', title: msg('State'), width: '88px', cell: State },
];

export function Raised({ account }: { readonly account: string | undefined }) {
  const { kind, state, alert: openId } = useSearchParams();
  const setSearch = useSetSearch();
  const query = {
    ...(state !== 'all' && { state: 'open' as const }),
    ...(kind !== undefined && { kind: kind as AlertKind }),
  };
  const list = useList<Alert>(
    ['/admin/v1/alerts', account, query],
    (page, signal) => callScoped('get', 'alerts', account, { query: { ...query, ...page } }, signal),
    { refreshMs: REFRESH_MS },
  );
  const shown = list.rows.find(({ id }) => id === openId);
  const close = (): void => setSearch({ alert: undefined });
  const asked = new URLSearchParams({ limit: '100', ...query });
  return (
    <>
      <search className={styles['tools']}>
        <SearchSelect
          id="state"
          label={t('State')}
          choices={[
            ['', t('Open')],
            ['all', t('All, the closed ones too')],
          ]}
        />
        <SearchSelect
          id="kind"
          label={t('Kind')}
          choices={[['', t('All kinds')], ...Object.entries(translated(ALERT_NAMES))]}
        />
        <CopyAs
          forms={readForms(
            `${scopedPath('alerts', account)}?${asked}`,
            triviumLine(
              ['alerts', 'list'],
              [
                ['open', state === 'all' ? undefined : true],
                ['kind', kind],
                ['account', account],
              ],
            ),
          )}
        />
      </search>
      <NotListed id={openId} list={list} />
      <List
        label={t('Alerts')}
        list={list}
        columns={ALERT_COLUMNS}
        onOpen={({ id }) => setSearch({ alert: id })}
        compact={(alert) => (
          <Compact
            first={
              <span className={styles['clipped']}>
                <AlertLink {...alert} />
              </span>
            }
            second={
              <>
                <When at={alert.raisedAt} /> <State {...alert} />
              </>
            }
          />
        )}
        empty={
          <EmptyState title={state === 'all' ? t('No alert was raised.') : t('No alert is open.')}>
            {kind !== undefined || state === 'all' ? (
              <Button onClick={() => setSearch({ kind: undefined, state: undefined })}>{t('Clear filters')}</Button>
            ) : (
              <Button onClick={() => setSearch({ state: 'all' })}>{t('Show closed alerts')}</Button>
            )}
          </EmptyState>
        }
      />
      {shown !== undefined && (
        <Dialog title={t(ALERT_NAMES[shown.kind])} kind="drawer" isOpen onClose={close}>
          <AlertDetail alert={shown} onDone={close} />
        </Dialog>
      )}
    </>
  );
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Where the cause can be seen, and something be done. */
function placesOf({ accountId, detail, raisedAt }: Alert): readonly (readonly [string, ReturnType<typeof place>])[] {
  const text = (name: string): string | undefined => (name in detail ? String(detail[name]) : undefined);
  const { provider, model, key, requestId } = Object.fromEntries(
    ['provider', 'model', 'key', 'requestId'].map((name) => [name, text(name)]),
  );
  const atMs = Date.parse(text('hour') ?? raisedAt);
  const range = rangeText({ kind: 'fixed', fromMs: atMs - HOUR_MS, untilMs: Math.min(atMs + HOUR_MS, Date.now()) });
  const account = accountId ?? text('account');
  const scoped = account === undefined ? {} : { account };
  return [
    ...(requestId === undefined ? [] : [[t('The request'), place('/requests/$id', { id: requestId })] as const]),
    ...(provider === undefined
      ? []
      : [
          [t('The provider'), place('/providers/$id', { id: provider })] as const,
          [
            t('Its requests at that time'),
            place('/requests', {}, { provider, range, ...(model !== undefined && { model }) }),
          ] as const,
        ]),
    ...(key === undefined ? [] : [[t('The key'), place('/keys/$id', { id: key }, scoped)] as const]),
    ...(account === undefined
      ? []
      : [
          [
            t('The account'),
            place('/accounts/$id', { id: account }, 'percent' in detail ? { tab: 'budgets' } : {}),
          ] as const,
          [
            t('Its usage'),
            place(
              '/usage',
              {},
              {
                account,
                range: rangeText({ kind: 'fixed', fromMs: atMs - DAY_MS, untilMs: atMs + HOUR_MS }),
              },
            ),
          ] as const,
        ]),
  ];
}

const AlertLinks = ({ alert }: { readonly alert: Alert }) => (
  <p className={styles['tools']}>
    {placesOf(alert).map(([text, to]) => (
      <Link key={text} {...to} className={buttonClass()}>
        {text}
      </Link>
    ))}
  </p>
);

function AlertDetail({ alert, onDone }: { readonly alert: Alert; readonly onDone: () => void }) {
  const isOperator = hasRole(useMe(), 'operator');
  const { id, resolvedAt, acknowledgedAt, acknowledgedBy } = alert;
  const acknowledge = useChange('post', '/admin/v1/alerts/{id}/acknowledge', ['/admin/v1/alerts', '/admin/v1/me']);
  return (
    <>
      <p>{alertInWords(alert)}</p>
      <Facts
        facts={[
          [t('State'), <State key="state" {...alert} />],
          [t('Raised'), <When key="raised" at={alert.raisedAt} />],
          [t('Last seen'), <When key="seen" at={alert.lastSeenAt} />],
          [t('Account'), alert.accountId ?? <None key="none" />],
          [t('Subject'), <Id key="subject" text={alert.subject} />],
          resolvedAt !== null && [t('Resolved'), <When key="resolved" at={resolvedAt} />],
          acknowledgedBy !== null && [t('Seen by'), <Id key="by" text={acknowledgedBy} />],
        ]}
      />
      <AlertLinks alert={alert} />
      <details>
        <summary>{t('Detail')}</summary>
        <CodeBlock text={JSON.stringify(alert.detail, null, 2)} isTall />
      </details>
      {isOperator && resolvedAt === null && acknowledgedAt === null && (
        <>
          {acknowledge.error !== null && <Problem error={acknowledge.error} />}
          <DialogActions>
            <Button
              kind="primary"
              isBusy={acknowledge.isPending}
              onClick={() => acknowledge.mutate({ path: { id } }, { onSuccess: onDone })}
            >
              {t('Acknowledge')}
            </Button>
          </DialogActions>
          <Commands
            method="post"
            path={`/admin/v1/alerts/${id}/acknowledge`}
            cli={`trivium alerts acknowledge ${id}`}
          />
        </>
      )}
    </>
  );
}
