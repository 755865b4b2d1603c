// Every secret and every internal address of a configuration, to redact them from what is written or sent.

import { secretsIn } from '../models/providers/signers/credentials.ts';
import type { Config } from './config.ts';

export const secretsOf = (config: Config): string[] => [
  ...Object.values(config.providers).flatMap(({ credential, spareCredentials = [] }) =>
    [...(credential === undefined ? [] : [credential]), ...spareCredentials].flatMap(secretsIn),
  ),
  ...Object.values(config.secretStores).flatMap(({ token, secretId, identity }) => [
    ...[token, secretId].flatMap((secret) => secret ?? []),
    ...(identity === undefined ? [] : secretsIn(identity)),
  ]),
  ...config.seals.keys,
  ...config.secrets.keys,
  ...[config.blobs.s3?.secretAccessKey, config.blobs.s3?.sessionToken].flatMap((secret) => secret ?? []),
  ...[...config.payments.values()].flat(),
  ...Object.values(config.traces?.headers ?? {}),
  ...Object.values(config.agents.telemetry?.headers ?? {}),
  ...(config.alerts.smtp?.password === undefined ? [] : [config.alerts.smtp.password]),
  ...config.signIn.issuers.flatMap(({ clientSecret }) => clientSecret ?? []),
  ...[
    config.database?.url,
    config.database?.directUrl,
    config.redis?.url,
    config.clickhouse?.url,
    config.upstream.proxy,
  ].flatMap((url) => passwordIn(url) ?? []),
];

/** Host names of the operator's own hosts and stores. */
export const internalHostsOf = (config: Config): string[] => {
  const { providers, secretStores, database, redis, clickhouse, blobs, upstream, agents, alerts, traces } = config;
  const stores = [database?.url, database?.directUrl, redis?.url, clickhouse?.url, blobs.s3?.origin];
  const urls = [traces?.endpoint, agents.telemetry?.url, ...stores, upstream.proxy];
  for (const { baseUrl } of Object.values(providers)) urls.push(baseUrl);
  for (const { address } of Object.values(secretStores)) urls.push(address);
  const hosts = urls.flatMap((url) => (url === undefined ? [] : (URL.parse(url)?.hostname ?? [])));
  return alerts.smtp === undefined ? hosts : [...hosts, alerts.smtp.host];
};

const passwordIn = (url: string | undefined): string | undefined => {
  const password = url === undefined ? '' : (URL.parse(url)?.password ?? '');
  return password === '' ? undefined : decoded(password);
};

/** A bare `%` is allowed in URLs and begins no escape sequence. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
