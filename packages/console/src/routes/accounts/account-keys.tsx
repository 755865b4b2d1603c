import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useGetList } from '../../api/use-get-list.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { EmptyState } from '../../parts/base/empty-state.tsx';
import { Problem } from '../../parts/base/problem.tsx';
import { DataTable } from '../../parts/list/data-table.tsx';
import { hasRole, useMe } from '../../state/session.ts';
import { compactKey, type KeyContext, keyColumns } from '../keys/columns.tsx';
import { CreateKey } from '../keys/create-key.tsx';
import styles from './accounts.module.css';

const CONTEXT: KeyContext = { hasAccount: true, memberNames: new Map(), budgets: [] };

export function AccountKeys({ account }: { readonly account: string }) {
  const isDeveloper = hasRole(useMe(), 'developer');
  const navigate = useNavigate();
  const [isCreating, setCreating] = useState(false);
  const keys = useGetList('/admin/v1/keys', { query: { account, state: 'active' } });
  return (
    <>
      <div className={styles['bar']}>
        <Link to="/keys" search={{ account, state: 'all' } as never}>
          {t('All keys, also expired and revoked')}
        </Link>
        {isDeveloper && (
          <Button icon={<Plus size={14} />} onClick={() => setCreating(true)}>
            {t('Create a key')}
          </Button>
        )}
      </div>
      {keys.error !== null && <Problem error={keys.error} onRetry={keys.retry} />}
      <DataTable
        label={t('Keys')}
        columns={keyColumns(CONTEXT).filter(({ id }) => id !== 'owner')}
        compact={compactKey(CONTEXT)}
        rows={keys.rows}
        idOf={({ id }) => id}
        isLoading={keys.isLoading}
        onOpen={({ id }) =>
          void navigate({ to: '/keys/$id' as string, params: { id } as never, search: { account } as never })
        }
        isWhole
        empty={keys.error === null && <EmptyState title={t('This account has no key that works.')} />}
      />
      {keys.hasMore && <Button onClick={keys.onMore}>{t('Load more')}</Button>}
      <CreateKey account={account} isOpen={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}
