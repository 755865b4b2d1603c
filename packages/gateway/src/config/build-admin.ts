// From `admin` in the file to addresses and the hash of the operator's secret; the secret itself is not retained.

import { hashSecret } from '../people/accounts/key-secret.ts';
import type { Building } from './building.ts';
import type { Config } from './config.ts';
import type { ConfigPath } from './problem.ts';
import type { ConfigData } from './schema.ts';
import { parseHttpUrl } from './urls.ts';

/** It grants full access, so secrets that could be guessed are refused. */
const MIN_LENGTH = 32;

const checkPublicUrl = (text: string | undefined, path: ConfigPath, building: Building): void => {
  if (text === undefined) return;
  const url = parseHttpUrl(text);
  if (url === undefined || url.href !== `${url.origin}/`)
    building.report(path, 'must be an http or https URL without a path, such as https://admin.example.com');
};

export const buildAdmin = ({ secret, ...admin }: ConfigData['admin'], building: Building): Config['admin'] => {
  checkPublicUrl(admin.publicUrl, ['admin', 'publicUrl'], building);
  checkPublicUrl(admin.members?.publicUrl, ['admin', 'members', 'publicUrl'], building);
  if (secret === undefined) return admin;
  const path = ['admin', 'secret'];
  const value = building.secret(secret, path);
  if (value === undefined) return admin;
  if (value.length < MIN_LENGTH) building.report(path, `must have at least ${MIN_LENGTH} characters`);
  return { ...admin, secretHash: hashSecret(value) };
};
