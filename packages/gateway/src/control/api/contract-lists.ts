/** Query parameters for lists of accounts, members and audit entries. */
import Type from 'typebox';
import type { SortedPage } from '../../store/postgres/sorted-page.ts';
import { FORMS } from './forms.ts';
import { pageSize } from './route.ts';

export const word = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 200, description }));
export const time = (description: string) => Type.Optional(Type.String({ pattern: FORMS.isoTime, description }));
export const sorting = {
  sort: Type.Optional(Type.Enum(['id', 'name', 'createdAt'], { description: 'Default: `id`.' })),
  order: Type.Optional(Type.Enum(['asc', 'desc'], { description: 'Default: `asc`.' })),
};

type Sorted = {
  readonly after?: string | undefined;
  readonly limit?: string | undefined;
  readonly sort?: 'id' | 'name' | 'createdAt' | undefined;
  readonly order?: 'asc' | 'desc' | undefined;
};
export const sortedPage = ({ after, limit, sort = 'id', order = 'asc' }: Sorted): SortedPage => ({
  sort: sort === 'createdAt' ? 'created_at' : sort,
  order,
  after,
  limit: pageSize(limit),
});
