/** Who is calling? Answered from the head alone, before a stranger's body costs us anything. */
import { GatewayError } from '@trivium/protocol/canonical';
import { extractCredential } from '../accounts/credentials.ts';
import type { Accounts } from './ports.ts';
import { grow, type Identified, type Received } from './stages.ts';

/** One sentence for every kind of bad key: which kind it was is nobody's business but ours. */
const BAD_KEY = new GatewayError({ kind: 'unauthenticated', message: 'The API key is missing or not valid.' });
const TWO_KEYS = new GatewayError({
  kind: 'unauthenticated',
  message: 'The request carries two API keys that differ. Send one.',
});
const QUERY_KEY = new GatewayError({
  kind: 'unauthenticated',
  message: 'API keys in the query string are not read, because URLs end up in logs. Send the key in a header.',
});

export function authenticate(received: Received, accounts: Accounts, keyInQuery: boolean): Identified {
  const credential = extractCredential(received.headers);
  if (credential.kind === 'conflict') throw TWO_KEYS;
  if (credential.kind !== 'one') throw credential.kind === 'none' && keyInQuery ? QUERY_KEY : BAD_KEY;
  const caller = accounts.find(credential.secret);
  if (caller === undefined) throw BAD_KEY;
  return grow(received, { caller, strict: caller.strict || received.headers.get('x-trivium-strict') === 'true' });
}
