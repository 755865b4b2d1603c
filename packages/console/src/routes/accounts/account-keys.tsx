/** The keys of an account that work. */
import { Link, useNavigate } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useGetList } from '../../api/use-list.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../parts/base/button.tsx';
import { List } from '../../parts/list/list.tsx';
import { place } from '../../state/search.ts';
import { hasRole, useMe } from '../../state/session.ts';
import { compactKey, type KeyContext, keyColumns } from '../keys/columns.tsx';
import { CreateKey } from '../keys/create-key.tsx';
import styles from './accounts.module.css';

const CONTEXT: KeyContext = { hasAccount: true, memberNames: new Map(), budgets: [] };

export function AccountKeys({ account }: { readonly account: string }) {
  const isDeveloper = hasRole(useMe(), 'developer');
  const navigate = useNavigate();
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <div className={styles['bar']}>
        <Link {...place('/keys', {}, { account, state: 'all' })}>{t('All keys, also expired and revoked')}</Link>
        {isDeveloper && (
          <Button icon={<Plus size={14} />} onClick={() => setCreating(true)}>
            {t('Create a key')}
          </Button>
        )}
      </div>
      <List
        label={t('Keys')}
        list={useGetList('/admin/v1/keys', { query: { account, state: 'active' } })}
        columns={keyColumns(CONTEXT).filter(({ id }) => id !== 'owner')}
        compact={compactKey(CONTEXT)}
        onOpen={({ id }) => void navigate(place('/keys/$id', { id }, { account }))}
        empty={t('No active keys.')}
      />
      <CreateKey account={account} isOpen={isCreating} onClose={() => setCreating(false)} />
    </>
  );
}
