/** Video operations: how far they are, what they made and cost. */

import { Link, useNavigate } from '@tanstack/react-router';
import { callScoped, scopedPath } from '../api/client.ts';
import { useList } from '../api/use-list.ts';
import { triviumLine } from '../format/shell.ts';
import { msg, t } from '../i18n/t.ts';
import { type Column, describedColumns } from '../parts/list/columns.tsx';
import { Compact } from '../parts/list/list.tsx';
import { ListPage } from '../parts/list/list-page.tsx';
import styles from '../parts/list/lists.module.css';
import { Money, When } from '../parts/values/values.tsx';
import { place, useAccount, useSearchParams } from '../state/search.ts';
import {
  Elapsed,
  isOpen,
  type Operation,
  OperationProgress,
  STATE_NAMES,
  STATES,
  StateTag,
} from './operations/operation.tsx';

const REFRESH_MS = 3000;

const COLUMNS: readonly Column<Operation>[] = [
  {
    id: 'created',
    title: msg('Created'),
    width: '136px',
    cell: ({ id, accountId, createdAt }) => (
      <Link {...place('/operations/$id', { id }, { account: accountId })}>
        <When at={createdAt} />
      </Link>
    ),
  },
  { id: 'state', title: msg('State'), width: '104px', cell: StateTag },
  { id: 'progress', title: msg('Progress'), width: '128px', cell: OperationProgress },
  { of: 'model', as: 'text', title: msg('Model'), width: 'minmax(140px, 2fr)' },
  { of: 'provider', as: 'text', title: msg('Provider'), width: 'minmax(88px, 1fr)' },
  { of: 'accountId', as: 'text', title: msg('Account'), width: 'minmax(80px, 1fr)' },
  ...describedColumns('Operation'),
  { id: 'elapsed', title: msg('Elapsed'), width: '88px', align: 'end', cell: Elapsed },
];

export function Page() {
  const account = useAccount();
  const { state } = useSearchParams();
  const navigate = useNavigate();
  const chosen = STATES.find((each) => each === state);
  const query = chosen === undefined ? {} : { state: chosen };
  const list = useList<Operation>(
    ['/admin/v1/operations', account, query],
    (page, signal) => callScoped('get', 'operations', account, { query: { ...query, ...page } }, signal),
    { refreshMs: REFRESH_MS },
  );
  const running = list.rows.filter(isOpen).length;
  return (
    <ListPage
      title={t('Operations')}
      list={list}
      columns={COLUMNS}
      compact={(operation) => (
        <Compact
          first={
            <>
              <StateTag {...operation} /> {operation.model}
            </>
          }
          second={
            <>
              <When at={operation.createdAt} /> <Money usd={operation.costUsd} /> <OperationProgress {...operation} />
            </>
          }
        />
      )}
      onOpen={({ id, accountId }) => void navigate(place('/operations/$id', { id }, { account: accountId }))}
      selects={[
        {
          id: 'state',
          label: t('State'),
          choices: [['', t('All states')], ...STATES.map((each) => [each, t(STATE_NAMES[each])] as const)],
        },
      ]}
      path={`${scopedPath('operations', account)}?${new URLSearchParams({ limit: '100', ...query })}`}
      cli={account === undefined ? undefined : triviumLine(['operations', 'list', account], [['state', chosen]])}
      actions={
        running > 0 && (
          <span className={styles['second']} role="status">
            {t('{running, plural, one {# running} other {# running}}', { running })}
          </span>
        )
      }
      none={t('No video was ordered yet.')}
      noneAction={<Link {...place('/playground', {}, { mode: 'video' })}>{t('Make one in the playground')}</Link>}
      noMatch={t('No operation is in this state.')}
    />
  );
}
