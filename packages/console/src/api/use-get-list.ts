/** `useList` for a path of the API, with its types. */
import { type Answer, type Asked, call, type PathsOf } from './client.ts';
import { type List, type ListPage, useList } from './use-list.ts';

type ListPaths = { [P in PathsOf<'get'>]: Answer<P, 'get'> extends ListPage<unknown> ? P : never }[PathsOf<'get'>];
type ItemOf<P extends ListPaths> = Answer<P, 'get'> extends { readonly items: readonly (infer T)[] } ? T : never;

const PAGE = '100';

export const useGetList = <P extends ListPaths>(path: P, asked: Asked<P, 'get'>): List<ItemOf<P>> =>
  useList([path, asked], (after, signal) => {
    const query = { limit: PAGE, ...asked.query, after };
    return call('get', path, { ...asked, query } as Asked<P, 'get'>, signal) as unknown as Promise<ListPage<ItemOf<P>>>;
  });
