/** Opens a link that hands over a key: once, for the holder of its code. */

import { callerAddress } from '../../http/peer.ts';
import { hashSecret } from '../../people/accounts/key-secret.ts';
import type { Vault } from '../../people/secrets/vault.ts';
import { OPERATOR, type Store } from '../../store/postgres/store.ts';
import { appendAudit } from '../api/change.ts';
import { AdminProblem } from '../api/problem.ts';
import { type OpenedLink, sessionRoute } from '../api/session-route.ts';
import { HandedKey, KeyLinkCode } from './contract.ts';
import { forgetKeyLinks, linkIdentity, takeKeyLink } from './rows.ts';

/** Undefined: there is no such link, it was opened before, or its secret is no longer that of the key. */
export const openKeyLink = (
  store: Store,
  vault: () => Vault | undefined,
  codeHash: string,
  address: string,
): Promise<OpenedLink | undefined> =>
  store.within(OPERATOR, async (db) => {
    await forgetKeyLinks(db);
    const link = await takeKeyLink(db, codeHash);
    if (link === undefined) return undefined;
    const { account_id: accountId, id, key_id, sealed, wrapped_key: wrappedKey, wrapping } = link;
    const secret = vault()?.open(linkIdentity(accountId, id), { sealed, wrappedKey, wrapping });
    if (secret === undefined) throw new AdminProblem('conflict', 'secrets.keys is not configured.');
    const isCurrent = hashSecret(secret) === link.hash.toString('hex');
    const detail = { keyId: key_id, address, ...(!isCurrent && { shown: false }) };
    await appendAudit(db, { accountId, actor: 'link', action: 'key-link.open', subject: id, detail });
    return isCurrent ? { keyName: link.key_name, accountName: link.account_name, secret } : undefined;
  });

export const openKeyLinkRoute = sessionRoute({
  method: 'POST',
  path: '/key-links/open',
  name: 'openKeyLink',
  summary: 'Opens a link that hands over a key: returns the secret once, and erases it. Needs no credential.',
  permission: 'public',
  body: KeyLinkCode,
  answer: HandedKey,
  run: async ({ request, listener, body, tries, isTrustedProxy, nowMs, openLink, gateway }) => {
    const { origin = listener.origin } = request.headers;
    if (origin !== listener.origin) throw new AdminProblem('forbidden', `A link opens only at ${listener.origin}.`);
    const address = callerAddress(request, isTrustedProxy);
    tries.requireTry(address, nowMs());
    const opened = await openLink(hashSecret(body.code), address);
    if (opened !== undefined) return { ...opened, gatewayUrl: gateway.publicUrl() ?? gateway.listenerUrl() };
    tries.failed(address, nowMs());
    throw new AdminProblem(
      'not-found',
      'This link does not open: it was opened before, was withdrawn, or its time is over. Ask for another.',
    );
  },
});
