/** Keys: whose they are, what they may, what they spent. */

import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useGet } from '../api/use-api.ts';
import { useGetList } from '../api/use-list.ts';
import { parseRange } from '../format/range.ts';
import { triviumLine } from '../format/shell.ts';
import { msg, t, translated } from '../i18n/t.ts';
import { Button } from '../parts/base/button.tsx';
import { type FilterField, useFilters } from '../parts/list/filter-bar.tsx';
import { ListPage } from '../parts/list/list-page.tsx';
import { place, useAccount, useSearchParams, useSetSearch } from '../state/search.ts';
import { hasRole, useMe } from '../state/session.ts';
import { compactKey, KEY_STATES, type KeyContext, keyColumns } from './keys/columns.tsx';
import { CreateKey } from './keys/create-key.tsx';

type Named = { readonly id: string; readonly name: string };

const keyFields = (members: readonly Named[]): readonly FilterField[] => [
  { id: 'q', label: msg('Name, start of the secret, id') },
  {
    id: 'member',
    label: msg('Member'),
    ...(members.length > 0 && { choices: members.map(({ id, name }) => ({ value: id, text: name })) }),
  },
  { id: 'model', label: msg('May use the model'), example: 'openai/gpt-5.4' },
  {
    id: 'expiring',
    label: msg('Expires within'),
    choices: ['7d', '30d', '90d'].map((value) => ({ value, text: value })),
  },
];

/** The filters as the API takes them. Without a state: those that work. */
function queryOf(
  { expiring, ...rest }: Readonly<Record<string, string>>,
  state: string,
  account: string | undefined,
): Record<string, string> {
  const range = expiring === undefined ? undefined : parseRange(expiring);
  return {
    ...rest,
    ...(account !== undefined && { account }),
    ...(state !== 'all' && { state }),
    // Rounded to the hour, so that the same filter hits the cache for a while.
    ...(range?.kind === 'last' && {
      expiringBefore: new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000 + range.ms).toISOString(),
    }),
  };
}

/** Names of members and budgets are fetched per account: two more requests in all, none per row. */
function useKeyContext(account: string | undefined): KeyContext & { readonly members: readonly Named[] } {
  const asked = { path: { account: account ?? '' } };
  const enabled = account !== undefined;
  const members = useGet('/admin/v1/accounts/{account}/members', { ...asked, query: { limit: '200' } }, { enabled })
    .data?.items;
  const budgets = useGet('/admin/v1/accounts/{account}/budgets', asked, { enabled }).data?.items;
  return useMemo(
    () => ({
      hasAccount: enabled,
      members: (enabled && members) || [],
      memberNames: new Map((members ?? []).map(({ id, name }) => [id, name])),
      budgets: (enabled && budgets) || [],
    }),
    [enabled, members, budgets],
  );
}

export function Page() {
  const account = useAccount();
  const isDeveloper = hasRole(useMe(), 'developer');
  const navigate = useNavigate();
  const setSearch = useSetSearch();
  const { state = 'active', create } = useSearchParams();
  const context = useKeyContext(account);
  const fields = useMemo(() => keyFields(context.members), [context.members]);
  const query = queryOf(useFilters(fields), state, account);
  return (
    <ListPage
      title={t('Keys')}
      list={useGetList('/admin/v1/keys', { query })}
      columns={keyColumns(context)}
      compact={compactKey(context)}
      onOpen={({ id, accountId }) => void navigate(place('/keys/$id', { id }, { account: accountId }))}
      fields={fields}
      placeholder={t('Search by name, id or start of the secret')}
      selects={[
        {
          id: 'state',
          label: t('State'),
          choices: [...Object.entries(translated(KEY_STATES)), ['all', t('all states')]],
        },
      ]}
      path={`/admin/v1/keys?${new URLSearchParams(query)}`}
      cli={triviumLine(
        ['keys', 'list', ...(account === undefined ? [] : [account])],
        [
          ['search', query['q']],
          ['state', query['state']],
          ['member', query['member']],
          ['model', query['model']],
          ['expiring-before', query['expiringBefore']],
        ],
      )}
      mayCreate={isDeveloper}
      none={t('No key works yet. A key is what applications and agents call the gateway with.')}
      noMatch={t('No key matches these filters.')}
      noMatchAction={
        state === 'active' && (
          <Button onClick={() => setSearch({ state: 'all' })}>{t('Also expired and revoked')}</Button>
        )
      }
    >
      <CreateKey account={account} isOpen={create === 'yes'} onClose={() => setSearch({ create: undefined })} />
    </ListPage>
  );
}
