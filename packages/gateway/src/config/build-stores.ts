// From `database`, `redis` and `clickhouse` in the file to resolved URLs.

import type { Building } from './building.ts';
import type { ClickHouseConfig, DatabaseSettings, RedisSettings } from './config.ts';
import type { ConfigPath } from './problem.ts';
import type { ClickHouseData, DatabaseData, RedisData } from './schema-stores.ts';

const addressOf = (
  text: string,
  path: ConfigPath,
  schemes: readonly string[],
  building: Building,
): string | undefined => {
  const address = building.secret(text, path);
  if (address === undefined) return undefined;
  const url = URL.parse(address);
  if (url === null || !schemes.includes(url.protocol.slice(0, -1))) {
    building.report(path, `must be a URL that starts with ${schemes.join(':// or ')}://`);
    return undefined;
  }
  return address;
};

const POSTGRES = ['postgres', 'postgresql'];
const REDIS = ['redis', 'rediss'];
const HTTP = ['http', 'https'];

export const buildDatabase = (data: DatabaseData, building: Building): DatabaseSettings | undefined => {
  const url = addressOf(data.url, ['database', 'url'], POSTGRES, building);
  const directUrl =
    data.directUrl === undefined ? url : addressOf(data.directUrl, ['database', 'directUrl'], POSTGRES, building);
  return url === undefined || directUrl === undefined ? undefined : { ...data, url, directUrl };
};

export const buildRedis = (data: RedisData, building: Building): RedisSettings | undefined => {
  const url = addressOf(data.url, ['redis', 'url'], REDIS, building);
  return url === undefined ? undefined : { url };
};

export const buildClickHouse = (
  data: ClickHouseData,
  hasDatabase: boolean,
  building: Building,
): ClickHouseConfig | undefined => {
  if (!hasDatabase) building.report(['clickhouse'], 'needs `database`: it is a copy of the records there');
  const url = addressOf(data.url, ['clickhouse', 'url'], HTTP, building);
  return url === undefined ? undefined : { ...data, url };
};

/** They encrypt stored credentials, so short keys are refused. */
const MIN_KEY_LENGTH = 32;

export const buildSecretKeys = (given: readonly string[], building: Building): readonly string[] =>
  given.flatMap((text, index) => {
    const path = ['secrets', 'keys', index];
    const key = building.secret(text, path);
    if (key !== undefined && key.length < MIN_KEY_LENGTH)
      building.report(path, `must have at least ${MIN_KEY_LENGTH} characters`);
    return key ?? [];
  });
