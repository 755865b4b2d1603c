/** Video operations: how far they are, what they made and cost. */
import { Link, useNavigate } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { useList } from '../api/use-list.ts';
import { t } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { adminCurl, CopyAs } from '../parts/base/copy.tsx';
import { EmptyState } from '../parts/base/empty-state.tsx';
import { Problem } from '../parts/base/problem.tsx';
import { controlClass } from '../parts/form/field.tsx';
import { type Column, DataTable } from '../parts/list/data-table.tsx';
import styles from '../parts/list/lists.module.css';
import { PageFrame } from '../parts/page/page.tsx';
import { Duration, Money, When } from '../parts/values/values.tsx';
import { useAccount, useSearchParams, useSetSearch } from '../state/search.ts';
import { useRows } from '../state/use-rows.ts';
import {
  elapsedMs,
  isOpen,
  type Operation,
  OperationProgress,
  STATES,
  StateTag,
  stateNames,
} from './operations/operation.tsx';

const REFRESH_MS = 3000;

const columns = (): readonly Column<Operation>[] => [
  {
    id: 'created',
    title: t('Created'),
    width: '136px',
    cell: ({ id, accountId, createdAt }) => (
      <Link to="/operations/$id" params={{ id }} search={{ account: accountId } as never}>
        <When at={createdAt} />
      </Link>
    ),
  },
  { id: 'state', title: t('State'), width: '104px', cell: ({ state }) => <StateTag state={state} /> },
  {
    id: 'progress',
    title: t('Progress'),
    width: '128px',
    cell: (operation) => <OperationProgress operation={operation} />,
  },
  { id: 'model', title: t('Model'), width: 'minmax(140px, 2fr)', cell: ({ model }) => model },
  { id: 'provider', title: t('Provider'), width: 'minmax(88px, 1fr)', cell: ({ provider }) => provider },
  { id: 'account', title: t('Account'), width: 'minmax(80px, 1fr)', cell: ({ accountId }) => accountId },
  { id: 'videos', title: t('Videos'), width: '64px', align: 'end', cell: ({ videos }) => videos },
  { id: 'cost', title: t('Cost'), width: '88px', align: 'end', cell: ({ costUsd }) => <Money usd={costUsd} /> },
  {
    id: 'elapsed',
    title: t('Elapsed'),
    width: '88px',
    align: 'end',
    cell: (operation) => <Duration ms={elapsedMs(operation, Date.now())} />,
  },
];

const compact = (operation: Operation) => (
  <div className={styles['compact']}>
    <span>
      <StateTag state={operation.state} /> {operation.model}
    </span>
    <span className={styles['second']}>
      <When at={operation.createdAt} /> <Money usd={operation.costUsd} /> <OperationProgress operation={operation} />
    </span>
  </div>
);

export function Page() {
  const account = useAccount();
  const { state } = useSearchParams();
  const setSearch = useSetSearch();
  const navigate = useNavigate();
  const chosen = STATES.find((each) => each === state);
  const query = { limit: '100', ...(chosen !== undefined && { state: chosen }) };
  const list = useList<Operation>(
    ['/admin/v1/operations', account, query],
    (after, signal) =>
      account === undefined
        ? call('get', '/admin/v1/operations', { query: { ...query, after } }, signal)
        : call(
            'get',
            '/admin/v1/accounts/{account}/operations',
            { path: { account }, query: { ...query, after } },
            signal,
          ),
    { refreshMs: REFRESH_MS },
  );
  const open = ({ id, accountId }: Operation): void =>
    void navigate({ to: '/operations/$id', params: { id }, search: { account: accountId } as never });
  const { currentId } = useRows(list.rows, ({ id }) => id, open);
  const running = list.rows.filter(isOpen).length;
  const path = account === undefined ? '/admin/v1/operations' : `/admin/v1/accounts/${account}/operations`;
  return (
    <PageFrame
      title={t('Operations')}
      isFixed
      actions={
        <>
          {running > 0 && (
            <span className={styles['second']} role="status">
              {t('{running, plural, one {# running} other {# running}}', { running })}
            </span>
          )}
          <select
            className={controlClass}
            aria-label={t('State')}
            value={chosen ?? ''}
            onChange={({ target }) => setSearch({ state: target.value })}
          >
            <option value="">{t('All states')}</option>
            {STATES.map((each) => (
              <option key={each} value={each}>
                {stateNames()[each]}
              </option>
            ))}
          </select>
          <CopyAs
            forms={[
              { name: 'curl', text: () => adminCurl('GET', `${path}?${new URLSearchParams(query)}`) },
              ...(account === undefined
                ? []
                : [
                    {
                      name: 'trivium',
                      text: () =>
                        `trivium operations list ${account}${chosen === undefined ? '' : ` --state ${chosen}`}`,
                    },
                  ]),
            ]}
          />
        </>
      }
    >
      {list.error !== null && <Problem error={list.error} onRetry={list.retry} />}
      <DataTable
        label={t('Operations')}
        columns={columns()}
        rows={list.rows}
        idOf={({ id }) => id}
        isLoading={list.isLoading}
        onOpen={open}
        currentId={currentId}
        hasMore={list.hasMore}
        onMore={list.onMore}
        compact={compact}
        empty={
          list.error === null && (
            <EmptyState
              title={chosen === undefined ? t('No video was ordered yet.') : t('No operation is in this state.')}
            >
              {chosen === undefined ? (
                <Link to="/playground" search={{ mode: 'video' } as never}>
                  {t('Make one in the playground')}
                </Link>
              ) : (
                <Button onClick={() => setSearch({ state: undefined })}>{t('Clear filters')}</Button>
              )}
            </EmptyState>
          )
        }
      />
    </PageFrame>
  );
}
