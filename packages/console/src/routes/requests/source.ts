/** Where the requests of a page come from: of all accounts, or of one; as filtered by the address bar. */

import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Answer, callScoped, type Schemas, scopedPath } from '../../api/client.ts';
import type { Range } from '../../format/range.ts';
import { useFilters } from '../../parts/list/filter-bar.tsx';
import { useAccount, useRange } from '../../state/search.ts';
import { useMe } from '../../state/session.ts';
import { REQUEST_FIELDS } from './fields.ts';

export type Row = Schemas['RequestRow'];
type Rows = Answer<'/admin/v1/requests', 'get'>;
export type Histogram = Schemas['RequestHistogram'];

export const DEFAULT_RANGE = '1h';
const PAGE = '100';
const REFRESH_MS = 30_000;

export type Source = {
  /** `/admin/v1/requests`, or below the account of a member. */
  readonly path: string;
  readonly account: string | undefined;
  readonly filters: Readonly<Record<string, string>>;
  readonly range: Range;
  /** From and until at this moment; a relative range has no end, so that new rows are in it. */
  readonly times: () => Readonly<Record<string, string>>;
};

export function useSource(): Source {
  const { accountId } = useMe();
  const account = useAccount();
  const filters = useFilters(REQUEST_FIELDS);
  const { range, boundsAt } = useRange(DEFAULT_RANGE);
  return useMemo(() => {
    const times = (): Record<string, string> => {
      const { fromMs, untilMs } = boundsAt(Date.now());
      const from = new Date(fromMs).toISOString();
      return range.kind === 'fixed' ? { from, until: new Date(untilMs).toISOString() } : { from };
    };
    return {
      path: scopedPath('requests', accountId),
      account: accountId ?? undefined,
      filters: accountId === null && account !== undefined ? { ...filters, account } : filters,
      range,
      times,
    };
  }, [accountId, account, filters, range, boundsAt]);
}

export const useRequestPages = (source: Source): UseInfiniteQueryResult<InfiniteData<Rows>> =>
  useInfiniteQuery({
    queryKey: [source.path, 'pages', source.filters, source.range],
    queryFn: ({ pageParam, signal }) => {
      const page = { limit: PAGE, ...(pageParam !== null && { after: pageParam }) };
      const query = { ...source.filters, ...source.times(), ...page };
      return callScoped('get', 'requests', source.account, { query }, signal);
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    // The live rows of a page come on top of what it was opened with.
    gcTime: 0,
  });

export const useHistogram = (source: Source) =>
  useQuery({
    queryKey: [source.path, 'histogram', source.filters, source.range],
    queryFn: ({ signal }) =>
      callScoped(
        'get',
        'requests/histogram',
        source.account,
        { query: { ...source.filters, ...source.times() } },
        signal,
      ),
    ...(source.range.kind === 'last' && { refetchInterval: REFRESH_MS }),
  });

export const queryText = (query: Readonly<Record<string, string>>): string => {
  const text = new URLSearchParams(query).toString();
  return text === '' ? '' : `?${text}`;
};
