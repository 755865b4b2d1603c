/** Reading and changing over the admin API from components. */
import {
  type QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { type Answer, type Asked, call, type PathsOf } from './client.ts';

export type GetOptions = {
  /** Polling interval in ms while the tab is visible. */
  readonly refreshMs?: number;
  readonly enabled?: boolean;
};

/** Parameters that change which part of the same figures is shown. */
const VIEW: ReadonlySet<string> = new Set(['from', 'until', 'bucket', 'latency']);

/** Whether an answer may be shown until that of another question is there: never one about another account, key or node. */
export function isSameSubject(before: unknown, asked: unknown): boolean {
  const subject = (question: unknown): string =>
    JSON.stringify(question, (name, value: unknown) => (VIEW.has(name) ? undefined : value));
  return subject(before) === subject(asked);
}

/** Responses are cached by path and parameters: `invalidate` takes a path. */
export const useGet = <P extends PathsOf<'get'>>(
  path: P,
  asked: Asked<P, 'get'>,
  { refreshMs, enabled = true }: GetOptions = {},
): UseQueryResult<Answer<P, 'get'>> =>
  useQuery({
    queryKey: [path, asked],
    queryFn: ({ signal }) => call('get', path, asked, signal),
    placeholderData: (data, query) => (isSameSubject(query?.queryKey, [path, asked]) ? data : undefined),
    enabled,
    ...(refreshMs !== undefined && { refetchInterval: refreshMs }),
  });

export const invalidate = (client: QueryClient, paths: readonly PathsOf<'get'>[]): void => {
  for (const path of paths) void client.invalidateQueries({ queryKey: [path] });
};

type Change = 'post' | 'patch' | 'delete';

/** A change; the paths in `touches` are fetched again after it. */
export function useChange<M extends Change, P extends PathsOf<M>>(
  method: M,
  path: P,
  touches: readonly PathsOf<'get'>[] = [],
): UseMutationResult<Answer<P, M>, Error, Asked<P, M>> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: Asked<P, M>) => call(method, path, asked),
    onSuccess: () => invalidate(client, touches),
  });
}

/** A change, made when it is sent, in the words of the API for those who would rather type it. */
export type Write<A = unknown> = {
  readonly method: Change;
  /** With its parameters. */
  readonly path: string;
  readonly body?: unknown;
  readonly send: () => Promise<A>;
};

/** The paths in `touches` are fetched again after the change. */
export function useWrite() {
  const client = useQueryClient();
  return <M extends Change, P extends PathsOf<M>>(
    method: M,
    path: P,
    asked: Asked<P, M>,
    touches: readonly PathsOf<'get'>[] = [],
  ): Write<Answer<P, M>> => {
    const { path: given = {}, body } = asked as { path?: Readonly<Record<string, string>>; body?: unknown };
    return {
      method,
      path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(given[name] ?? '')),
      body,
      send: async () => {
        const answer = await call(method, path, asked);
        invalidate(client, touches);
        return answer;
      },
    };
  };
}
