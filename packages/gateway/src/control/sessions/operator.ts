/** The operator's secret: from the configuration, or created at the first start and shown once. */
import { timingSafeEqual } from 'node:crypto';
import { hashSecret, newKeySecret } from '../../people/accounts/key-secret.ts';
import { OPERATOR, type Store } from '../../store/postgres/store.ts';
import { appendAudit } from '../api/change.ts';
import { insertCode } from './rows.ts';
import { insertFirstSecret, isOperatorSecret, replaceSecrets } from './secret-rows.ts';
import { newSignInCode, type SignInCode } from './sign-in-code.ts';

/** If several nodes start together, one creates it. */
export async function makeFirstSecret(store: Store, show: (secret: string) => void): Promise<void> {
  const secret = newKeySecret();
  if (await insertFirstSecret(store, hashSecret(secret))) show(secret);
}

/** For an operator who has lost it: the new secret replaces all others. */
export async function makeNewSecret(store: Store): Promise<string> {
  const secret = newKeySecret();
  await replaceSecrets(store, hashSecret(secret));
  return secret;
}

/** For an operator with shell access, but without a secret or a working sign-in provider. */
export const makeOperatorCode = (store: Store, origin: string): Promise<SignInCode> =>
  store.within(OPERATOR, async (db) => {
    const code = newSignInCode();
    const expiresAt = await insertCode(db, code.hash);
    const noted = { accountId: null, actor: 'command-line', action: 'operator.sign-in-code', subject: 'operator' };
    await appendAudit(db, { ...noted, detail: {} });
    return code.show(origin, expiresAt);
  });

/** The configured secret works in addition to those in the database, and without a query. */
export const operatorCheck =
  (store: Store | undefined, configured: () => string | undefined) =>
  async (presented: string): Promise<boolean> => {
    const own = configured();
    if (own !== undefined && timingSafeEqual(Buffer.from(own, 'hex'), Buffer.from(presented, 'hex'))) return true;
    return store !== undefined && isOperatorSecret(store, presented);
  };
