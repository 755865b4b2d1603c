/** What was changed in an account, the newest first. */
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { useGetList } from '../../api/use-list.ts';
import { msg, t } from '../../i18n/t.ts';
import type { Column } from '../../parts/list/columns.tsx';
import { Compact, List } from '../../parts/list/list.tsx';
import { When } from '../../parts/values/values.tsx';
import { place } from '../../state/search.ts';

type Entry = Schemas['AuditEntry'];

const EntryLink = ({ id, action, accountId }: Entry) => (
  <Link {...place('/audit', {}, { account: accountId ?? '', entry: id })}>{action}</Link>
);

const COLUMNS: readonly Column<Entry>[] = [
  { of: 'at', as: 'when', title: msg('Time'), width: '150px' },
  { id: 'action', title: msg('Action'), width: 'minmax(120px, 1fr)', cell: EntryLink },
  { of: 'actor', as: 'id', title: msg('Actor'), width: 'minmax(140px, 2fr)' },
  { of: 'subject', as: 'id', title: msg('Subject'), width: 'minmax(140px, 2fr)' },
];

export const AccountAudit = ({ account }: { readonly account: string }) => (
  <List
    label={t('Audit')}
    list={useGetList('/admin/v1/accounts/{account}/audit', { path: { account } })}
    columns={COLUMNS}
    compact={(entry) => (
      <Compact first={<EntryLink {...entry} />} end={<When at={entry.at} />} second={entry.subject} />
    )}
    empty={t('Nothing was changed yet.')}
  />
);
