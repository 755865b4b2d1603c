/** Credentials of providers in the database, encrypted by the vault. */
import { sql } from 'kysely';
import type { SealedSecret, Vault } from '../../people/secrets/vault.ts';
import type { Db } from '../../store/postgres/store.ts';

export type StoredCredential = SealedSecret & { readonly provider: string; readonly updatedAt: Date };

/** Notified with the provider's id whenever a credential changes. */
export const CREDENTIAL_CHANNEL = 'trivium_credentials';

/** The identity that the encryption is bound to. */
export const credentialIdentity = (provider: string): string => `provider_credentials:${provider}`;

export async function listCredentials(db: Db): Promise<readonly StoredCredential[]> {
  const rows = await db.selectFrom('provider_credentials').selectAll().orderBy('provider').execute();
  return rows.map(({ provider, sealed, wrapped_key, wrapping, updated_at }) => ({
    provider,
    sealed,
    wrappedKey: wrapped_key,
    wrapping,
    updatedAt: updated_at,
  }));
}

export async function putCredential(
  db: Db,
  provider: string,
  { sealed, wrappedKey, wrapping }: SealedSecret,
): Promise<void> {
  const row = { sealed, wrapped_key: wrappedKey, wrapping };
  await db
    .insertInto('provider_credentials')
    .values({ provider, ...row })
    .onConflict((conflict) => conflict.column('provider').doUpdateSet({ ...row, updated_at: sql<Date>`now()` }))
    .execute();
}

export async function deleteCredential(db: Db, provider: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('provider_credentials')
    .where('provider', '=', provider)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Rewraps all under the operator's current key; returns how many were changed. */
export async function rewrapCredentials(db: Db, vault: Vault): Promise<number> {
  const outdated = (await listCredentials(db)).filter((stored) => !vault.isCurrent(stored));
  for (const stored of outdated)
    await putCredential(db, stored.provider, vault.rewrap(credentialIdentity(stored.provider), stored));
  return outdated.length;
}
