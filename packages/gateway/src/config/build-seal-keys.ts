// The keys that sign seals: the operator's, or the one that processes on one address share, or one for this process
// alone.

import { randomBytes } from 'node:crypto';
import type { Building } from './building.ts';

const MIN_LENGTH = 16;
const OWN_KEY_BYTES = 32;

/** The same for every reload, or seals issued before it would be invalid after it. */
const OWN_KEY = randomBytes(OWN_KEY_BYTES).toString('base64url');

export const SEAL_KEY_VARIABLE = 'TRIVIUM_SEAL_KEY';

export const buildSealKeys = (
  given: readonly string[],
  building: Building,
  shared: string | undefined,
): readonly string[] => {
  const keys = given.flatMap((text, index) => {
    const path = ['seals', 'keys', index];
    const key = building.secret(text, path);
    if (key !== undefined && key.length < MIN_LENGTH)
      building.report(path, `must have at least ${MIN_LENGTH} characters`);
    return key ?? [];
  });
  if (keys.length > 0) return keys;
  return [shared !== undefined && shared.length >= MIN_LENGTH ? shared : OWN_KEY];
};
