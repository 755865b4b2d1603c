/** The operator's secret: from the configuration, or made at the first start and shown once. */
import { timingSafeEqual } from 'node:crypto';
import { hashSecret, newKeySecret } from '../accounts/key-secret.ts';
import { insertFirstSecret, isOperatorSecret, replaceSecrets } from '../store/postgres/operator-secrets.ts';
import type { Store } from '../store/postgres/store.ts';

/** Of several nodes that start together, one makes it. */
export async function makeFirstSecret(store: Store, show: (secret: string) => void): Promise<void> {
  const secret = newKeySecret();
  if (await insertFirstSecret(store, hashSecret(secret))) show(secret);
}

/** For an operator who has lost it: the new one takes the place of all others. */
export async function makeNewSecret(store: Store): Promise<string> {
  const secret = newKeySecret();
  await replaceSecrets(store, hashSecret(secret));
  return secret;
}

/** The configured one works beside those of the database, and without asking it. */
export const operatorCheck =
  (store: Store, configured: () => string | undefined) =>
  async (presented: string): Promise<boolean> => {
    const own = configured();
    if (own !== undefined && timingSafeEqual(Buffer.from(own, 'hex'), Buffer.from(presented, 'hex'))) return true;
    return isOperatorSecret(store, presented);
  };
