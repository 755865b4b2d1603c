/** Operators: one of the accounts, or the one that pages are about, in the address bar. */

import { Building2 } from 'lucide-react';
import { call } from '../../api/client.ts';
import { t } from '../../i18n/t.ts';
import { useSearchParams, useSetSearch } from '../../state/search.ts';
import { SearchChoice, type SearchChoiceProps } from './choice.tsx';
import type { ChoiceItem } from './choice-list.tsx';

/** The best of those that match. */
export async function findAccounts(q: string | undefined, signal: AbortSignal): Promise<readonly ChoiceItem[]> {
  const { items } = await call('get', '/admin/v1/accounts', { query: { q, limit: '50' } }, signal);
  return items.map(({ id, name }) => ({ value: id, text: name, note: id }));
}

export const AccountSearch = (props: Omit<SearchChoiceProps, 'label' | 'queryKey' | 'find'>) => (
  <SearchChoice {...props} label={t('Account')} queryKey={['/admin/v1/accounts']} find={findAccounts} />
);

export function AccountChoice() {
  const { account } = useSearchParams();
  const setSearch = useSetSearch();
  return (
    <AccountSearch
      shown={account ?? t('All accounts')}
      icon={<Building2 size={16} />}
      first={{ value: '', text: t('All accounts') }}
      chosen={account ?? ''}
      onChoose={({ value }) => setSearch({ account: value })}
    />
  );
}
