/** Authentication: from the request head alone, before an unauthenticated body costs anything. */
import { GatewayError } from '@trivium/protocol/canonical';
import type { Caller } from '../../kernel/caller.ts';
import type { Accounts, CallerPort, RawHeaders } from '../../kernel/caller-port.ts';
import { extractCredential } from '../../people/accounts/credentials.ts';
import type { IdentifiedHead, ReceivedHead } from '../request.ts';

/** A request, or a connection that will carry some. */
type Knocking = Pick<ReceivedHead, 'protocol' | 'headers'> & { readonly reply: Pick<CallerPort, 'address'> };
type Known = Pick<IdentifiedHead, 'caller' | 'strict'>;

/** One message for every kind of invalid key, so that a caller cannot probe which kind it was. */
const BAD_KEY = new GatewayError({ kind: 'unauthenticated', message: 'The API key is missing or not valid.' });
const TWO_KEYS = new GatewayError({
  kind: 'unauthenticated',
  message: 'The request carries two API keys that differ. Send one.',
});
const QUERY_KEY = new GatewayError({
  kind: 'unauthenticated',
  message: 'API keys in the query string are not read, because URLs end up in logs. Send the key in a header.',
});

/** Returns a promise only if the key has to be looked up first. */
export function authenticate<R extends Knocking>(
  received: R,
  accounts: Accounts,
  keyInQuery: boolean,
): (R & Known) | Promise<R & Known> {
  const caller = findCaller(received.headers, accounts, keyInQuery);
  return caller instanceof Promise ? caller.then((found) => identify(received, found)) : identify(received, caller);
}

/** The caller that the credential in the head (an API key or a token) belongs to, if any. */
export function findCaller(headers: RawHeaders, accounts: Accounts, keyInQuery: boolean): ReturnType<Accounts['find']> {
  const credential = extractCredential(headers);
  if (credential.kind === 'conflict') throw TWO_KEYS;
  if (credential.kind !== 'one') throw credential.kind === 'none' && keyInQuery ? QUERY_KEY : BAD_KEY;
  return accounts.find(credential.secret);
}

/**
 * A key used from a forbidden address is treated as stolen: the error is that of an invalid key. The address is read
 * only if the key restricts it.
 */
export function requireKey(caller: Caller | undefined, from: { readonly address: string }): Caller {
  if (caller === undefined || caller.bounds?.mayCallFrom?.(from.address) === false) throw BAD_KEY;
  return caller;
}

function identify<R extends Knocking>(received: R, found: Caller | undefined): R & Known {
  const caller = requireKey(found, received.reply);
  const { bounds } = caller;
  if (bounds?.protocols?.has(received.protocol) === false)
    throw new GatewayError({ kind: 'forbidden', message: 'This API key may not use this protocol.' });
  return Object.assign(received, {
    caller,
    strict: caller.strict || received.headers.get('x-trivium-strict') === 'true',
  });
}

/** Counting tokens is its own endpoint; otherwise the operation names it. */
export function requireEndpoint({ caller }: Pick<IdentifiedHead, 'caller'>, endpoint: string): void {
  if (caller.bounds?.endpoints?.has(endpoint) === false)
    throw new GatewayError({ kind: 'forbidden', message: 'This API key may not use this endpoint.' });
}
