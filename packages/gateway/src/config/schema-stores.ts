// Schema of `database`, `redis` and `clickhouse`: where state is stored that outlasts the process or is shared between
// nodes.

import Type, { type Static } from 'typebox';

const closed = { additionalProperties: false } as const;

const waitMs = (fallback: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: 3_600_000, default: fallback, description });

const database = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description:
        'URL of PostgreSQL 15 or newer, best as `env:NAME` or `file:/path`: `postgres://user:password@host:5432/trivium`.',
    }),
    directUrl: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description: 'The same database without a pooler in between, for notifications. Without it: `url`.',
      }),
    ),
    maxConnections: Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 10,
      description: 'Most connections of each of the two roles.',
    }),
    connectMs: waitMs(5_000, 'Time to get a connection.'),
    statementMs: waitMs(10_000, 'Time for one statement.'),
    keyGraceMs: Type.Integer({
      minimum: 0,
      maximum: 7 * 86_400_000,
      default: 3_600_000,
      description:
        'How long keys already known to a node are accepted while the database does not answer. Others get 503.',
    }),
    migrate: Type.Boolean({
      default: true,
      description:
        'Bring the schema up to date at start. Off: `trivium migrate` does it, and an old schema is refused.',
    }),
  },
  {
    ...closed,
    description: 'PostgreSQL, the system of record. Without it the gateway has no state but this file.',
  },
);

const redis = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'URL of Redis or Valkey 7 or newer, best as `env:NAME` or `file:/path`: `redis://host:6379`.',
    }),
  },
  {
    ...closed,
    description: 'Redis, for state that nodes share and may lose. Optional, useful with two or more nodes.',
  },
);

const clickhouse = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description:
        'HTTP URL of ClickHouse 24.3 or newer, best as `env:NAME` or `file:/path`: `https://user:password@host:8443`.',
    }),
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
    days: Type.Integer({
      minimum: 1,
      maximum: 3650,
      default: 400,
      description: 'Days after which records are deleted from ClickHouse.',
    }),
    batchRows: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      default: 10_000,
      description: 'Most records in one insert, and in memory at once.',
    }),
    everyMs: waitMs(5_000, 'Pause after all records are copied; after a failure it doubles, up to a minute.'),
    timeoutMs: waitMs(30_000, 'Time for one insert or query.'),
  },
  {
    ...closed,
    description:
      'ClickHouse, for a copy of the records of requests that reports may read; see `docs/operate/clickhouse.md`. Needs `database`. Absent: off.',
  },
);

export const secretsSchema = Type.Object(
  {
    keys: Type.Array(Type.String(), {
      maxItems: 8,
      default: [],
      description:
        "Keys that encrypt hosts' credentials in the database, as `env:NAME` or `file:/path`, 32 characters or more: the first encrypts, all decrypt. Every node needs the same list.",
    }),
  },
  { ...closed, default: {}, description: 'Secrets at rest.' },
);

export const databaseSchema = Type.Optional(database);
export const redisSchema = Type.Optional(redis);
export const clickhouseSchema = Type.Optional(clickhouse);

export type DatabaseData = Static<typeof database>;
export type RedisData = Static<typeof redis>;
export type ClickHouseData = Static<typeof clickhouse>;
