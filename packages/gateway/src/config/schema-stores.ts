// The form of `database` and `redis`: where state lives that outlasts the process or is shared between nodes.

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
        'Address of PostgreSQL 15 or newer, best as `env:NAME` or `file:/path`: `postgres://user:password@host:5432/trivium`.',
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
        'How long keys already known to a node are taken while the database does not answer. Others get 503.',
    }),
    migrate: Type.Boolean({
      default: true,
      description:
        'Bring the schema up to date at start. Off: `trivium migrate` does it, and an old schema is refused.',
    }),
  },
  {
    ...closed,
    description: 'PostgreSQL, the system of record. Without it the gateway keeps nothing but what this file says.',
  },
);

const redis = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'Address of Redis or Valkey 7 or newer, best as `env:NAME` or `file:/path`: `redis://host:6379`.',
    }),
  },
  { ...closed, description: 'Redis, for what nodes share and may lose. Optional, worth it from two nodes on.' },
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

export type DatabaseData = Static<typeof database>;
export type RedisData = Static<typeof redis>;
