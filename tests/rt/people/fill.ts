/** People who are signed in from a program, in the database as sign-ins leave them. */
import type { Client } from 'pg';
import { grantIdentity } from '../../../packages/gateway/src/control/grants/grant-rows.ts';
import { hashBytes, newRefreshToken, textOf } from '../../../packages/gateway/src/control/grants/refresh-token.ts';
import { hashSecret, newAccessToken } from '../../../packages/gateway/src/people/accounts/key-secret.ts';
import { Vault } from '../../../packages/gateway/src/people/secrets/vault.ts';
import type { StubIssuer } from './stub-issuer.ts';

const ROWS_AT_ONCE = 1000;

/** Returns their refresh tokens. */
export async function signInPeople(
  owner: Client,
  account: string,
  count: number,
  issuer: Pick<StubIssuer, 'url' | 'firstToken'>,
  vaultKey: string,
): Promise<readonly string[]> {
  const vault = new Vault([vaultKey]);
  const tokens: string[] = [];
  for (let from = 0; from < count; from += ROWS_AT_ONCE) {
    const rows = Array.from({ length: Math.min(ROWS_AT_ONCE, count - from) }, (_, at) => {
      const subject = `person-${from + at}`;
      const [id, refresh] = [`grant_${subject}`, newRefreshToken()];
      tokens.push(textOf(refresh));
      const { sealed, wrappedKey, wrapping } = vault.seal(grantIdentity(id), issuer.firstToken(subject));
      const [selector, verifier] = [hashBytes(refresh.selector), hashBytes(refresh.verifier)];
      const hex = { sealed, wrappedKey, selector, verifier };
      return {
        id,
        subject,
        wrapping,
        ...Object.fromEntries(Object.entries(hex).map(([name, one]) => [name, `\\x${one.toString('hex')}`])),
      };
    });
    const given = JSON.stringify(rows);
    const from_ = `from jsonb_to_recordset($1::jsonb) as p (id text, subject text, wrapping text, sealed bytea, "wrappedKey" bytea, selector bytea, verifier bytea)`;
    await owner.query(
      `insert into members (account_id, id, name, role) select $2, 'mem_' || subject, subject, 'developer' ${from_}`,
      [given, account],
    );
    await owner.query(
      `insert into member_identities (account_id, issuer, subject, member_id) select $2, $3, subject, 'mem_' || subject ${from_}`,
      [given, account, issuer.url],
    );
    await owner.query(
      `insert into grants (account_id, id, member_id, client, label, issuer, subject, scope, sealed, wrapped_key, wrapping, selector, verifier)
       select $2, id, 'mem_' || subject, 'trivium-cli', 'Trivium command line', 'corp', subject, 'calls', sealed, "wrappedKey", wrapping, selector, verifier ${from_}`,
      [given, account],
    );
  }
  return tokens;
}

/** A token of the first of them, for an hour. */
export async function tokenOfFirst(owner: Client, account: string): Promise<string> {
  const token = newAccessToken();
  await owner.query(
    `insert into access_tokens (hash, account_id, grant_id, expires_at)
     values (decode($1, 'hex'), $2, 'grant_person-0', now() + interval '1 hour')`,
    [hashSecret(token), account],
  );
  return token;
}
