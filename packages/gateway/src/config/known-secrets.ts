// Every secret a configuration holds, for whoever must keep them out of what is written.

import { secretsIn } from '../providers/signers/credentials.ts';
import type { Config } from './config.ts';

export const secretsOf = (config: Config): string[] => [
  ...Object.values(config.providers).flatMap(({ credential, spareCredentials = [] }) =>
    [...(credential === undefined ? [] : [credential]), ...spareCredentials].flatMap(secretsIn),
  ),
  ...config.seals.keys,
  ...config.secrets.keys,
  ...[config.blobs.s3?.secretAccessKey, config.blobs.s3?.sessionToken].flatMap((secret) => secret ?? []),
  ...[...config.payments.values()].flat(),
  ...[config.database?.url, config.database?.directUrl, config.redis?.url].flatMap((url) => passwordIn(url) ?? []),
];

const passwordIn = (url: string | undefined): string | undefined => {
  const password = url === undefined ? '' : (URL.parse(url)?.password ?? '');
  return password === '' ? undefined : decodeURIComponent(password);
};
