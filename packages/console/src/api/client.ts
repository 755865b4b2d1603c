/** The admin API, typed by its own document. Whatever is not 2xx is thrown as an `ApiError`. */
import createClient from 'openapi-fetch';
import { t } from '../i18n/t.ts';
import type { components, paths } from './schema.ts';

export type Schemas = components['schemas'];

type Method = 'get' | 'post' | 'patch' | 'delete';
export type PathsOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: { responses: object } } ? P : never;
}[keyof paths];

type Operation<P extends keyof paths, M extends Method> = paths[P] extends { [K in M]: infer O } ? O : never;
type Success = 200 | 201 | 202 | 303;
type Content<R> = R extends { content: { 'application/json': infer A } } ? A : never;
export type Answer<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: infer R } ? Content<R[keyof R & Success]> : never;

type Part<P extends keyof paths, M extends Method, Name extends string> =
  Operation<P, M> extends { parameters: { [K in Name]?: infer Q } } ? NonNullable<Q> : never;
type Body<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { requestBody: { content: { 'application/json': infer B } } } ? B : never;

type Given<Name extends string, T> = [T] extends [never] ? unknown : { readonly [K in Name]: T };
export type Asked<P extends keyof paths, M extends Method> = Given<'path', Part<P, M, 'path'>> & {
  readonly query?: { readonly [K in keyof Part<P, M, 'query'>]?: string | undefined };
} & Given<'body', Body<P, M>>;

export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly field: string | undefined;

  constructor(status: number, code: string, message: string, field?: string) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.field = field;
  }
}

export const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));

/** The CSRF token of the session; the API refuses changes without it. */
let csrf: string | null = null;
export const setCsrf = (value: string | null): void => {
  csrf = value;
};

/** For streamed responses, which are requested without `call`. */
export const csrfHeaders = (): Readonly<Record<string, string>> => (csrf === null ? {} : { 'x-trivium-csrf': csrf });

let onSignedOut: () => void = () => undefined;
/** Called when the API no longer knows the session. */
export const whenSignedOut = (listener: () => void): void => {
  onSignedOut = listener;
};

const client = createClient<paths>({ baseUrl: '', credentials: 'same-origin' });
client.use({
  onRequest: ({ request }) => {
    if (request.method !== 'GET' && csrf !== null) request.headers.set('x-trivium-csrf', csrf);
    return request;
  },
});

type Untyped = (method: Method, path: string, options: object) => Promise<Settled>;
type Settled = { readonly data?: unknown; readonly error?: unknown; readonly response: Response };

const request = client.request as unknown as Untyped;

export async function call<M extends Method, P extends PathsOf<M>>(
  method: M,
  path: P,
  asked: Asked<P, M>,
  signal?: AbortSignal,
): Promise<Answer<P, M>> {
  const { path: inPath, query, body } = asked as { path?: object; query?: object; body?: unknown };
  const { data, error, response } = await request(method, path, {
    params: { path: inPath, query },
    ...(body !== undefined && { body }),
    ...(signal !== undefined && { signal }),
  }).catch((cause: unknown): never => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new ApiError(0, 'unreachable', t('The gateway does not answer.'));
  });
  if (response.ok) return data as Answer<P, M>;
  if (response.status === 401 && path !== '/admin/v1/session') onSignedOut();
  const problem = (error as { error?: { code?: string; message?: string; field?: string } } | undefined)?.error;
  throw new ApiError(
    response.status,
    problem?.code ?? 'unknown',
    problem?.message ?? `HTTP ${response.status}`,
    problem?.field,
  );
}

type Of<S extends string> = `/admin/v1/${S}`;
type OfOne<S extends string> = `/admin/v1/accounts/{account}/${S}`;
/** What is asked of all accounts and of one in the same words: `requests`, `requests/{id}`. */
type Scoped<M extends Method> = {
  [P in PathsOf<M>]: P extends Of<infer S> ? (OfOne<S> extends PathsOf<M> ? S : never) : never;
}[PathsOf<M>];

/** `call` for one account, or for all of them where it is undefined or null. */
export const callScoped = <M extends Method, S extends Scoped<M>>(
  method: M,
  rest: S,
  account: string | null | undefined,
  asked: Asked<Of<S> & PathsOf<M>, M>,
  signal?: AbortSignal,
): Promise<Answer<Of<S> & PathsOf<M>, M>> => {
  const { path } = asked as { path?: object };
  return account === undefined || account === null
    ? call(method, `/admin/v1/${rest}` as never, asked as never, signal)
    : call(
        method,
        `/admin/v1/accounts/{account}/${rest}` as never,
        { ...asked, path: { ...path, account } } as never,
        signal,
      );
};

/** The path of `callScoped`, for commands that do the same. */
export const scopedPath = (rest: string, account: string | null | undefined): string =>
  account === undefined || account === null
    ? `/admin/v1/${rest}`
    : `/admin/v1/accounts/${encodeURIComponent(account)}/${rest}`;
