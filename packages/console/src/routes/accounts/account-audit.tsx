import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { useGetList } from '../../api/use-get-list.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { EmptyState } from '../../parts/base/empty-state.tsx';
import { Problem } from '../../parts/base/problem.tsx';
import { type Column, DataTable } from '../../parts/list/data-table.tsx';
import lists from '../../parts/list/lists.module.css';
import { Id, When } from '../../parts/values/values.tsx';

type Entry = Schemas['AuditEntry'];

const EntryLink = ({ entry: { id, action, accountId } }: { readonly entry: Entry }) => (
  <Link to="/audit" search={{ account: accountId ?? '', entry: id } as never}>
    {action}
  </Link>
);

const columns = (): readonly Column<Entry>[] => [
  { id: 'at', title: t('Time'), width: '150px', cell: ({ at }) => <When at={at} /> },
  { id: 'action', title: t('Action'), width: 'minmax(120px, 1fr)', cell: (entry) => <EntryLink entry={entry} /> },
  { id: 'actor', title: t('Actor'), width: 'minmax(140px, 2fr)', cell: ({ actor }) => <Id text={actor} /> },
  { id: 'subject', title: t('Subject'), width: 'minmax(140px, 2fr)', cell: ({ subject }) => <Id text={subject} /> },
];

const compact = (entry: Entry) => (
  <div className={lists['compact']}>
    <span>
      <EntryLink entry={entry} />
      <span className={lists['push']}>
        <When at={entry.at} />
      </span>
    </span>
    <span className={lists['second']}>{entry.subject}</span>
  </div>
);

export function AccountAudit({ account }: { readonly account: string }) {
  const audit = useGetList('/admin/v1/accounts/{account}/audit', { path: { account } });
  return (
    <>
      {audit.error !== null && <Problem error={audit.error} onRetry={audit.retry} />}
      <DataTable
        label={t('Audit')}
        columns={columns()}
        compact={compact}
        rows={audit.rows}
        idOf={({ id }) => id}
        isLoading={audit.isLoading}
        isWhole
        empty={audit.error === null && <EmptyState title={t('Nothing was changed yet.')} />}
      />
      {audit.hasMore && <Button onClick={audit.onMore}>{t('Load more')}</Button>}
    </>
  );
}
