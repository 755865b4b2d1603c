/** The address bar as state: search parameters, the range and the account of the page. */
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { type Bounds, boundsOf, parseRange, type Range } from '../format/range.ts';
import { parseSearch, patched, type Search, type SearchPatch } from '../format/search.ts';
import { useMe } from './session.ts';

export const useSearchParams = (): Search => {
  const { searchStr } = useLocation();
  return useMemo(() => parseSearch(searchStr), [searchStr]);
};

/** `replace` (the default) adds nothing to the history. */
export function useSetSearch(): (patch: SearchPatch, options?: { readonly push?: boolean }) => void {
  const navigate = useNavigate();
  return useCallback(
    (patch, { push = false } = {}) =>
      void navigate({
        to: '.',
        search: ((before: Search) => patched(before, patch)) as never,
        // The way back to a list stays.
        state: true,
        replace: !push,
        resetScroll: false,
      }),
    [navigate],
  );
}

/**
 * A page, as links and `navigate` take it: `place('/keys/$id', { id }, { account })`. The router is made of a list of pages, so that the
 * types of their parameters are not known.
 */
export const place = (to: string, params: Readonly<Record<string, string>> = {}, search: Search = {}) =>
  ({ to, params, search }) as { readonly to: string; readonly params: never; readonly search: never };

/** The range of the address bar, else the page's default. Use `boundsAt` for requests: a relative range moves. */
export function useRange(fallback: string): { readonly range: Range; readonly boundsAt: (nowMs: number) => Bounds } {
  const { range: text } = useSearchParams();
  return useMemo(() => {
    const range = parseRange(text ?? fallback) ?? (parseRange(fallback) as Range);
    return { range, boundsAt: (nowMs: number) => boundsOf(range, nowMs) };
  }, [text, fallback]);
}

/** The account that pages are about: a member's own; operators choose one (`?account=`), or none: all accounts. */
export function useAccount(): string | undefined {
  const { accountId } = useMe();
  const { account } = useSearchParams();
  return accountId ?? account;
}

/** For links to pages that are about the same account: the choice of an operator goes along. */
export function useSameAccount(): Search {
  const { account } = useSearchParams();
  return useMemo(() => (account === undefined ? {} : { account }), [account]);
}

/** `state` of links from a list to the page of a row, for `useListSearch`. */
export function useListState(): never {
  const { searchStr } = useLocation();
  return { list: searchStr } as never;
}

/** Of the list that a page was opened from, as it was then; without one only the account. */
export function useListSearch(): Search {
  const { list = '' } = useLocation().state as { readonly list?: string };
  const kept = useSameAccount();
  return useMemo(() => ({ ...parseSearch(list), ...kept }), [list, kept]);
}
