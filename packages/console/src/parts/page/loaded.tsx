/** What a query found, once it is there: until then a placeholder, or why there is nothing. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/client.ts';
import { QueryProblem } from '../base/problem.tsx';
import { Skeleton } from '../base/skeleton.tsx';
import { NotFound } from './not-found.tsx';
import { PageFrame } from './page.tsx';

type LoadedProps<T> = {
  readonly of: UseQueryResult<T>;
  /** Lines of the placeholder. */
  readonly rows?: number;
  readonly children: (data: T) => ReactNode;
};

/** An answer stays while a newer one cannot be had. */
export const Loaded = <T,>({ of, rows = 6, children }: LoadedProps<T>) => (
  <>
    <QueryProblem of={of} />
    {of.data === undefined ? of.error === null && <Skeleton rows={rows} /> : children(of.data)}
  </>
);

/** The page of one thing: not found where the API does not know it. */
export function LoadedPage<T>({ of, title, children }: LoadedProps<T> & { readonly title: string }) {
  if (of.error instanceof ApiError && of.error.status === 404) return <NotFound />;
  if (of.data !== undefined) return children(of.data);
  return (
    <PageFrame title={title}>
      <Loaded of={of}>{children}</Loaded>
    </PageFrame>
  );
}
