// From `keys` in the file to hashed keys; the secrets themselves are not retained.

import { isRange } from '../people/accounts/address-ranges.ts';
import { hashSecret } from '../people/accounts/key-secret.ts';
import type { StaticKey } from '../people/accounts/static-keys.ts';
import type { Building } from './building.ts';
import type { ConfigPath } from './problem.ts';
import type { KeyData } from './schema-parties.ts';

/** Shorter secrets are unlikely to contain the 190 random bits that make an unsalted hash safe. */
const MIN_COMFORTABLE_SECRET = 32;
const HASH_PREFIX = 'sha256:';

const hashOf = (key: KeyData, path: ConfigPath, building: Building): string | undefined => {
  if ((key.secret === undefined) === (key.hash === undefined)) {
    building.report(path, 'needs either "secret" or "hash"');
    return undefined;
  }
  if (key.hash !== undefined) return key.hash.slice(HASH_PREFIX.length).toLowerCase();
  const secret = building.secret(key.secret ?? '', [...path, 'secret']);
  if (secret === undefined) return undefined;
  if (secret.length < MIN_COMFORTABLE_SECRET)
    building.notice([...path, 'secret'], 'is short and may be guessed; `trivium keys new` makes a strong one');
  return hashSecret(secret);
};

export const buildKeys = (keys: readonly KeyData[], building: Building): readonly StaticKey[] => {
  const names = new Set<string>();
  const owners = new Map<string, string>();
  return keys.flatMap((key, index): StaticKey[] => {
    const path = ['keys', index];
    if (names.has(key.name)) building.report([...path, 'name'], `"${key.name}" is already the name of another key`);
    names.add(key.name);
    if (key.expiresAt !== undefined && Number.isNaN(Date.parse(key.expiresAt)))
      building.report([...path, 'expiresAt'], 'is not a time of the calendar');
    const hash = hashOf(key, path, building);
    if (hash === undefined) return [];
    const other = owners.get(hash);
    if (other !== undefined) building.report(path, `has the same secret as the key "${other}"`);
    owners.set(hash, key.name);
    for (const [at, range] of (key.addresses ?? []).entries())
      if (!isRange(range))
        building.report([...path, 'addresses', at], 'must be an address or a range such as 10.0.0.0/8');
    const { secret: _secret, hash: _hash, ...rest } = key;
    return [{ ...rest, hash }];
  });
};
