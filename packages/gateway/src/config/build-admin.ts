// From `admin` in the file to an address and the hash of the operator's secret; the secret is forgotten on the way.

import { hashSecret } from '../accounts/key-secret.ts';
import type { Building } from './building.ts';
import type { Config } from './config.ts';
import type { ConfigData } from './schema.ts';

/** Whoever has it may do everything, so nothing that could be guessed is taken. */
const MIN_LENGTH = 32;

export const buildAdmin = ({ host, port, secret }: ConfigData['admin'], building: Building): Config['admin'] => {
  if (secret === undefined) return { host, port };
  const path = ['admin', 'secret'];
  const value = building.secret(secret, path);
  if (value === undefined) return { host, port };
  if (value.length < MIN_LENGTH) building.report(path, `must have at least ${MIN_LENGTH} characters`);
  return { host, port, secretHash: hashSecret(value) };
};
