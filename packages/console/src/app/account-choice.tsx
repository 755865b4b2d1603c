/** Operators: the account that pages are about, in the address bar. The list is asked for when it is opened. */
import { useQuery } from '@tanstack/react-query';
import { Building2, ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { t } from '../i18n/t.ts';
import { Button } from '../parts/button.tsx';
import { Choice } from '../parts/choice.tsx';
import { useSearchParams, useSetSearch } from './search.ts';

export function AccountChoice() {
  const { account } = useSearchParams();
  const setSearch = useSetSearch();
  const [isOpen, setOpen] = useState(false);
  const accounts = useQuery({
    queryKey: ['/admin/v1/accounts', 'choice'],
    queryFn: ({ signal }) => call('get', '/admin/v1/accounts', { query: { limit: '200' } }, signal),
    enabled: isOpen,
  });
  const items = (accounts.data?.items ?? []).map(({ id, name }) => ({ value: id, text: name, note: id }));
  return (
    <Choice
      trigger={
        <Button icon={<Building2 size={16} />}>
          {account ?? t('All accounts')}
          <ChevronDown size={14} />
        </Button>
      }
      label={t('Account')}
      isOpen={isOpen}
      onOpen={setOpen}
      isLoading={accounts.isLoading}
      items={[{ value: '', text: t('All accounts') }, ...items]}
      chosen={account ?? ''}
      onChoose={(value) => setSearch({ account: value })}
    />
  );
}
