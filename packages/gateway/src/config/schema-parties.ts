// Schema of `keys` and `providers`: who may call, and which hosts are called.

import Type, { type Static, type TSchema } from 'typebox';
import { dataFacts } from '../models/catalogue/schema-data.ts';
import { CUSTOM_DIALECTS } from '../models/providers/custom.ts';
import { HEADER_SIGNERS } from '../models/providers/signers/headers.ts';
import { KEY_ENDPOINTS, KEY_PROTOCOLS } from '../people/accounts/rights.ts';
import { quirksSchema } from './schema-quirks.ts';

const MAX_KEYS = 10_000;
const MAX_PROVIDERS = 500;
const MAX_SCOPE_ENTRIES = 1000;

const closed = { additionalProperties: false } as const;

const names = <T extends TSchema>(item: T, description: string) =>
  Type.Optional(Type.Array(item, { maxItems: MAX_SCOPE_ENTRIES, description }));

const key = Type.Object(
  {
    name: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$',
      description: 'Name of the key in logs and metrics. Unique.',
    }),
    secret: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4096,
        description: 'The secret, best as `env:NAME` or `file:/path`. It is hashed at start and not retained.',
      }),
    ),
    hash: Type.Optional(
      Type.String({
        pattern: '^sha256:[0-9a-fA-F]{64}$',
        description: 'The SHA-256 of the secret instead of the secret, as `trivium keys new` prints it.',
      }),
    ),
    account: Type.String({
      minLength: 1,
      maxLength: 100,
      default: 'default',
      description: 'Account the usage is recorded for.',
    }),
    hedge: Type.Boolean({
      default: false,
      description: 'Hedge the streams of this key: call a second host when the first token is late.',
    }),
    strict: Type.Boolean({
      default: false,
      description: 'Refuse a request if a parameter would be dropped or changed, instead of reporting the loss.',
    }),
    models: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: 1000,
        description: 'Models the key may use, e.g. `openai/gpt-4o` or `openai/*`. Absent: all.',
      }),
    ),
    providers: names(Type.String({ minLength: 1, maxLength: 64 }), 'Hosts the key may reach, by id. Absent: all.'),
    protocols: names(Type.Enum([...KEY_PROTOCOLS]), 'Protocols the key may use. Absent: all.'),
    endpoints: names(
      Type.Enum([...KEY_ENDPOINTS]),
      'What the key may call: text, embeddings, images, token counting. Absent: all.',
    ),
    addresses: names(
      Type.String({ minLength: 2, maxLength: 64 }),
      'Addresses or ranges the key may be used from, e.g. `10.1.0.0/16`. Absent: any address.',
    ),
    tolerates: names(
      Type.String({ minLength: 1, maxLength: 200 }),
      'Losses that do not fail a strict request, by the path they are reported under, e.g. `seed`; it may end in `*`.',
    ),
    expiresAt: Type.Optional(
      Type.String({
        pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2})$',
        description: 'When the key stops working: ISO 8601 with a zone, e.g. `2027-01-01T00:00:00Z`.',
      }),
    ),
  },
  closed,
);

export const keysSchema = Type.Array(key, {
  maxItems: MAX_KEYS,
  description: 'API keys of callers. Write `keys: []` for a gateway without keys in this file.',
});

const provider = Type.Object(
  {
    credential: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 16_384,
        description: 'The credential for the host, best as `env:NAME` or `file:/path`.',
      }),
    ),
    credentials: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 16_384 }), {
        minItems: 1,
        maxItems: 16,
        description:
          'Further credentials of the same host, each like `credential`: used in this order while those before are refused or rate limited.',
      }),
    ),
    baseUrl: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description:
          'Base URL. For a shipped host it replaces the known one; for an own host it is required: up to, not including, the path the wire format fixes, e.g. `http://10.0.0.7:8000/v1`.',
      }),
    ),
    variables: Type.Record(
      Type.String({ pattern: '^[a-z]+$' }),
      Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$' }),
      {
        ...closed,
        default: {},
        description: 'Values for the variables in the base URL, e.g. `resource: my-team`.',
      },
    ),
    dialect: Type.Optional(
      Type.Enum([...CUSTOM_DIALECTS], {
        description: 'Own hosts only, required there: the wire format of the host.',
      }),
    ),
    auth: Type.Optional(
      Type.Enum(Object.keys(HEADER_SIGNERS) as (keyof typeof HEADER_SIGNERS)[], {
        description:
          'Own hosts only: how the credential is sent. Without it: `bearer` if there is a credential, else `none`.',
      }),
    ),
    ...dataFacts,
    quirks: Type.Optional(quirksSchema),
    displayName: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Own hosts only: display name.' }),
    ),
  },
  closed,
);

export const providersSchema = Type.Record(Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,63}$' }), provider, {
  ...closed,
  maxProperties: MAX_PROVIDERS,
  default: {},
  description: 'Hosts to call, by id: the id of a shipped host, or a new one with `dialect` and `baseUrl`.',
});

export type KeyData = Static<typeof key>;
export type ProviderData = Static<typeof provider>;
