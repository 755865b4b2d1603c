// `keys`: who may call. Read, keys are hashed; the secrets themselves are not retained.

import Type, { type Static, type TSchema } from 'typebox';
import { isRange } from '../../people/accounts/address-ranges.ts';
import { hashSecret } from '../../people/accounts/key-secret.ts';
import { KEY_ENDPOINTS, KEY_PROTOCOLS } from '../../people/accounts/rights.ts';
import type { StaticKey } from '../../people/accounts/static-keys.ts';
import type { ConfigPath } from '../reading/problem.ts';
import { type Building, closed, flag, optionalText, text } from './parts.ts';

const MAX_KEYS = 10_000;
const MAX_SCOPE_ENTRIES = 1000;

const names = <T extends TSchema>(item: T, description: string) =>
  Type.Optional(Type.Array(item, { maxItems: MAX_SCOPE_ENTRIES, description }));

const key = Type.Object(
  {
    name: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$',
      description: 'Name of the key in logs and metrics. Unique.',
    }),
    secret: optionalText(
      4096,
      'The secret, best as `env:NAME` or `file:/path`. It is hashed at start and not retained.',
    ),
    hash: Type.Optional(
      Type.String({
        pattern: '^sha256:[0-9a-fA-F]{64}$',
        description: 'The SHA-256 of the secret instead of the secret, as `trivium keys new` prints it.',
      }),
    ),
    account: text(100, 'Account the usage is recorded for.', 'default'),
    hedge: flag(false, 'Hedge the streams of this key: call a second host when the first token is late.'),
    strict: flag(false, 'Refuse a request if a parameter would be dropped or changed, instead of reporting the loss.'),
    models: names(
      Type.String({ minLength: 1, maxLength: 200 }),
      'Models the key may use, e.g. `openai/gpt-4o` or `openai/*`. Absent: all.',
    ),
    providers: names(Type.String({ minLength: 1, maxLength: 64 }), 'Hosts the key may reach, by id. Absent: all.'),
    protocols: names(Type.Enum([...KEY_PROTOCOLS]), 'Protocols the key may use. Absent: all.'),
    endpoints: names(
      Type.Enum([...KEY_ENDPOINTS]),
      'What the key may call: text, embeddings, reranking, images, token counting. Absent: all.',
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

type KeyData = Static<typeof key>;

/** Shorter secrets are unlikely to contain the 190 random bits that make an unsalted hash safe. */
const MIN_COMFORTABLE_SECRET = 32;
const HASH_PREFIX = 'sha256:';

const hashOf = (key: KeyData, path: ConfigPath, building: Building): string | undefined => {
  if ((key.secret === undefined) === (key.hash === undefined)) {
    building.report(path, 'needs either "secret" or "hash"');
    return undefined;
  }
  if (key.hash !== undefined) return key.hash.slice(HASH_PREFIX.length).toLowerCase();
  const secret = building.secret(key.secret ?? '', [...path, 'secret']);
  if (secret === undefined) return undefined;
  if (secret.length < MIN_COMFORTABLE_SECRET)
    building.notice([...path, 'secret'], 'is short and may be guessed; `trivium keys new` makes a strong one');
  return hashSecret(secret);
};

export const buildKeys = (keys: readonly KeyData[], building: Building): readonly StaticKey[] => {
  const names = new Set<string>();
  const owners = new Map<string, string>();
  return keys.flatMap((key, index): StaticKey[] => {
    const path = ['keys', index];
    if (names.has(key.name)) building.report([...path, 'name'], `"${key.name}" is already the name of another key`);
    names.add(key.name);
    if (key.expiresAt !== undefined && Number.isNaN(Date.parse(key.expiresAt)))
      building.report([...path, 'expiresAt'], 'is not a time of the calendar');
    const hash = hashOf(key, path, building);
    if (hash === undefined) return [];
    const other = owners.get(hash);
    if (other !== undefined) building.report(path, `has the same secret as the key "${other}"`);
    owners.set(hash, key.name);
    for (const [at, range] of (key.addresses ?? []).entries())
      if (!isRange(range))
        building.report([...path, 'addresses', at], 'must be an address or a range such as 10.0.0.0/8');
    const { secret: _secret, hash: _hash, ...rest } = key;
    return [{ ...rest, hash }];
  });
};
