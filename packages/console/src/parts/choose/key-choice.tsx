/** The key that calls are made as: one of the database that is active. */

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { call, type Schemas } from '../../api/client.ts';
import { findSome } from '../../api/find-some.ts';
import { t } from '../../i18n/t.ts';
import { SearchChoice, type SearchChoiceProps } from './choice.tsx';
import type { ChoiceItem } from './choice-list.tsx';

type Key = Schemas['FoundKey'];

const PATH = '/admin/v1/keys';

/** Keys of the configuration file have no id of the database, and no call can be made as one. */
const isUsable = (id: string): boolean => id.startsWith('key_');

/** With its account, where keys of all accounts are shown. */
const itemOf = ({ id, name, accountId, prefix }: Key, account: string | undefined): ChoiceItem => ({
  value: id,
  text: account === undefined ? `${accountId} / ${name}` : name,
  note: prefix,
});

async function findKeys(
  account: string | undefined,
  q: string | undefined,
  signal: AbortSignal,
): Promise<readonly ChoiceItem[]> {
  const read = (after: string | undefined) =>
    call('get', PATH, { query: { state: 'active', limit: '200', account, q, after } }, signal);
  return (await findSome(read, ({ id }) => isUsable(id))).map((key) => itemOf(key, account));
}

/** `wanted`, where calls can be made as it, else the first key of the account, or of all. Null: there is none. */
export const useCallingKey = (
  account: string | undefined,
  wanted: string | undefined,
): UseQueryResult<ChoiceItem | null> =>
  useQuery({
    queryKey: [PATH, 'calling', account, wanted],
    queryFn: async ({ signal }) => {
      const named = wanted !== undefined && isUsable(wanted) ? await findKeys(account, wanted, signal) : [];
      const key = named.find(({ value }) => value === wanted);
      return key ?? (await findKeys(account, undefined, signal))[0] ?? null;
    },
  });

export type KeySearchProps = Omit<SearchChoiceProps, 'label' | 'queryKey' | 'find'> & {
  readonly account: string | undefined;
};

export const KeySearch = ({ account, ...props }: KeySearchProps) => (
  <SearchChoice
    {...props}
    label={t('Key')}
    queryKey={[PATH, account]}
    find={(q, signal) => findKeys(account, q, signal)}
  />
);
