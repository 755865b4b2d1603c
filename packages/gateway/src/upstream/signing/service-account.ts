/** Tokens for a service account of Google: an assertion signed with its key is exchanged for them. */
import { importPKCS8, SignJWT } from 'jose';
import type { Clock } from '../../kernel/clock.ts';
import type { ServiceAccount } from '../../models/providers/signers/credentials.ts';
import type { AskIssuer } from './ask.ts';
import { type Token, tokenIn } from './bearer-token.ts';

const ASSERTION_LIFETIME_S = 3600;
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export const FORM_HEADERS = { 'content-type': 'application/x-www-form-urlencoded' };
export const GOOGLE_FORM_HEADERS = { ...FORM_HEADERS, accept: 'application/json' };

export const serviceAccountToken =
  (account: ServiceAccount, scope: string, ask: AskIssuer, clock: Clock) => async (): Promise<Token> => {
    const assertion = await assertionOf(account, scope, clock);
    const body = new URLSearchParams({ grant_type: GRANT, assertion }).toString();
    return tokenIn(await ask({ url: account.tokenUrl, method: 'POST', headers: GOOGLE_FORM_HEADERS, body }));
  };

async function assertionOf(account: ServiceAccount, scope: string, clock: Clock): Promise<string> {
  const { clientEmail, privateKey, privateKeyId, tokenUrl } = account;
  const issuedAtS = Math.floor(clock.nowMs() / 1000);
  return new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(privateKeyId !== undefined && { kid: privateKeyId }) })
    .setIssuer(clientEmail)
    .setAudience(tokenUrl.href)
    .setIssuedAt(issuedAtS)
    .setExpirationTime(issuedAtS + ASSERTION_LIFETIME_S)
    .sign(await importPKCS8(privateKey, 'RS256'));
}
