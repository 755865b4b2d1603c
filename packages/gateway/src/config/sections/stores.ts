// `database`, `redis`, `clickhouse` and `secrets`: where state is stored that outlasts the process or is shared between
// nodes. Read, URLs and keys are resolved; they may contain a password.

import Type, { type Static } from 'typebox';
import type { ConfigPath } from '../reading/problem.ts';
import {
  type Building,
  buildSecrets,
  flag,
  integer,
  list,
  optionalSection,
  optionalText,
  section,
  text,
} from './parts.ts';

const longWait = (fallback: number, description: string) => integer(1, 3_600_000, fallback, description);

export const databaseSchema = optionalSection(
  {
    url: text(
      2048,
      'URL of PostgreSQL 15 or newer, best as `env:NAME` or `file:/path`: `postgres://user:password@host:5432/trivium`.',
    ),
    directUrl: optionalText(
      2048,
      'The same database without a pooler in between, for notifications. Without it: `url`.',
    ),
    maxConnections: integer(1, 1000, 10, 'Most connections of each of the two roles.'),
    connectMs: longWait(5_000, 'Time to get a connection.'),
    statementMs: longWait(10_000, 'Time for one statement.'),
    keyGraceMs: integer(
      0,
      7 * 86_400_000,
      3_600_000,
      'How long keys already known to a node are accepted while the database does not answer. Others get 503.',
    ),
    migrate: flag(
      true,
      'Bring the schema up to date at start. Off: `trivium migrate` does it, and an old schema is refused.',
    ),
  },
  'PostgreSQL, the system of record. Without it the gateway has no state but this file.',
);

export const redisSchema = optionalSection(
  {
    url: text(2048, 'URL of Redis or Valkey 7 or newer, best as `env:NAME` or `file:/path`: `redis://host:6379`.'),
  },
  'Redis, for state that nodes share and may lose. Optional, useful with two or more nodes.',
);

export const clickhouseSchema = optionalSection(
  {
    url: text(
      2048,
      'HTTP URL of ClickHouse 24.3 or newer, best as `env:NAME` or `file:/path`: `https://user:password@host:8443`.',
    ),
    database: Type.String({
      pattern: '^[A-Za-z_][A-Za-z0-9_]{0,62}$',
      default: 'default',
      description: 'An existing database; its tables are created at start.',
    }),
    reports: Type.Enum(['postgres', 'clickhouse'], {
      default: 'postgres',
      description:
        'Where `GET /admin/v1/usage` and its exports read. Records that ClickHouse does not have yet, and all of them while it does not answer, are read from PostgreSQL.',
    }),
    days: integer(1, 3650, 400, 'Days after which records are deleted from ClickHouse.'),
    batchRows: integer(1, 100_000, 10_000, 'Most records in one insert, and in memory at once.'),
    everyMs: longWait(5_000, 'Pause after all records are copied; after a failure it doubles, up to a minute.'),
    timeoutMs: longWait(30_000, 'Time for one insert or query.'),
  },
  'ClickHouse, for a copy of the records of requests that reports may read; see `docs/operate/clickhouse.md`. Needs `database`. Absent: off.',
);

export const secretsSchema = section(
  {
    keys: list(
      Type.String(),
      8,
      [],
      "Keys that encrypt hosts' credentials in the database, as `env:NAME` or `file:/path`, 32 characters or more: the first encrypts, all decrypt. Every node needs the same list.",
    ),
  },
  'Secrets at rest.',
);

type DatabaseData = Static<typeof databaseSchema>;
type RedisData = Static<typeof redisSchema>;
type ClickHouseData = Static<typeof clickhouseSchema>;

export type DatabaseSettings = DatabaseData & { readonly directUrl: string };

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

export const buildRedis = (data: RedisData, building: Building): RedisData | undefined => {
  const url = addressOf(data.url, ['redis', 'url'], REDIS, building);
  return url === undefined ? undefined : { url };
};

export const buildClickHouse = (
  data: ClickHouseData,
  hasDatabase: boolean,
  building: Building,
): ClickHouseData | undefined => {
  if (!hasDatabase) building.report(['clickhouse'], 'needs `database`: it is a copy of the records there');
  const url = addressOf(data.url, ['clickhouse', 'url'], HTTP, building);
  return url === undefined ? undefined : { ...data, url };
};

/** They encrypt stored credentials, so short keys are refused. */
const MIN_KEY_LENGTH = 32;

export const buildSecretKeys = ({ keys }: Static<typeof secretsSchema>, building: Building) => ({
  keys: buildSecrets(keys, ['secrets', 'keys'], MIN_KEY_LENGTH, building),
});
