// `secretStores`: where secrets are read from that the file only refers to. Addresses come from here and from nowhere
// else; a reference names a store of this list.

import Type, { type Static } from 'typebox';
import { suggestion } from '../../models/names/nearest.ts';
import { readAwsCredential, readServiceAccount } from '../../models/providers/signers/credentials.ts';
import { type Cloud, readIdentity } from '../../models/providers/signers/identities.ts';
import { readStoreReference, type StoreKind } from '../../models/providers/signers/store-references.ts';
import type { ConfigPath } from '../reading/problem.ts';
import { isPrivateHost, parseHttpUrl } from '../reading/urls.ts';
import { type Building, closed, flag, integer, optionalInteger, optionalText } from './parts.ts';

const store = Type.Object(
  {
    kind: Type.Enum(['vault', 'aws-sm', 'gcp-sm', 'azure-kv'], {
      description:
        '`vault`: HashiCorp Vault or OpenBao, KV version 2. `aws-sm`: AWS Secrets Manager. `gcp-sm`: Google Secret Manager. `azure-kv`: Azure Key Vault.',
    }),
    address: optionalText(
      2048,
      'Origin of the store, e.g. `https://vault.internal:8200` or `https://my-vault.vault.azure.net`. Only it is asked. Optional for `aws-sm` and `gcp-sm`.',
    ),
    identity: optionalText(
      16_384,
      'Clouds only: how the gateway signs in, as an identity of the machine such as `aws:web-identity`, or a secret as for a provider (`env:NAME`, `file:/path`).',
    ),
    region: Type.Optional(Type.String({ pattern: '^[a-z0-9-]{1,40}$', description: '`aws-sm` only: region.' })),
    project: Type.Optional(Type.String({ pattern: '^[a-z0-9:.-]{1,64}$', description: '`gcp-sm` only: project.' })),
    auth: Type.Optional(
      Type.Enum(['token', 'kubernetes', 'approle'], { description: '`vault` only: how the gateway signs in.' }),
    ),
    token: optionalText(4096, 'For `auth: token`: the token, best as `env:NAME` or `file:/path`.'),
    role: optionalText(256, 'For `auth: kubernetes`: the role.'),
    tokenFile: optionalText(
      1024,
      'For `auth: kubernetes`: the file of the token of the pod. Without it: `/var/run/secrets/kubernetes.io/serviceaccount/token`.',
    ),
    roleId: optionalText(256, 'For `auth: approle`: the id of the role.'),
    secretId: optionalText(4096, 'For `auth: approle`: its secret id, best as `env:NAME` or `file:/path`.'),
    authMount: Type.Optional(
      Type.String({
        pattern: '^[\\w-]+(?:/[\\w-]+)*$',
        maxLength: 256,
        description: '`vault` only: where `auth` is mounted.',
      }),
    ),
    mount: Type.String({
      pattern: '^[\\w-]+(?:/[\\w-]+)*$',
      maxLength: 256,
      default: 'secret',
      description: '`vault` only: mount of the KV engine.',
    }),
    namespace: Type.Optional(Type.String({ pattern: '^[\\w/-]{1,256}$', description: '`vault` only: namespace.' })),
    everyMs: optionalInteger(
      5_000,
      86_400_000,
      'How often a secret is looked up again. Without it: a minute for `vault`, else five, which is also the least for `aws-sm`.',
    ),
    waitMs: integer(100, 60_000, 10_000, 'How long the start waits for the secrets of this store.'),
    required: flag(
      false,
      'Refuse to start while a secret of this store cannot be read. Off: its providers are out, and the rest serves.',
    ),
  },
  closed,
);

export const secretStoresSchema = Type.Record(Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,63}$' }), store, {
  ...closed,
  maxProperties: 32,
  default: {},
  description:
    'Stores of secrets, by a name of your choice. `vault:NAME/path#member`, `aws-sm:NAME/id#member`, `gcp-sm:NAME/id` and `azure-kv:NAME/id` refer to what is in them; see `docs/operate/secret-stores.md`.',
});

type StoreData = Static<typeof store>;
export type SecretStoreSettings = StoreData & { readonly everyMs: number };

const CLOUD_OF: Readonly<Partial<Record<StoreKind, Cloud>>> = { 'aws-sm': 'aws', 'gcp-sm': 'gcp', 'azure-kv': 'azure' };
const MINUTE_MS = 60_000;
const CLOUD_EVERY_MS = 5 * MINUTE_MS;
const NEEDED: Readonly<Record<StoreKind, readonly (keyof StoreData)[]>> = {
  vault: ['address', 'auth'],
  'aws-sm': ['region', 'identity'],
  'gcp-sm': ['project', 'identity'],
  'azure-kv': ['address', 'identity'],
};
const NEEDED_BY_AUTH = { token: ['token'], kubernetes: ['role'], approle: ['roleId', 'secretId'] } as const;

export const buildSecretStores = (
  stores: Readonly<Record<string, StoreData>>,
  allowInsecure: boolean,
  building: Building,
): Readonly<Record<string, SecretStoreSettings>> =>
  Object.fromEntries(
    Object.entries(stores).map(([name, data]) => [
      name,
      buildStore(data, ['secretStores', name], allowInsecure, building),
    ]),
  );

function buildStore(
  data: StoreData,
  path: ConfigPath,
  allowInsecure: boolean,
  building: Building,
): SecretStoreSettings {
  const { kind, auth, everyMs = kind === 'vault' ? MINUTE_MS : CLOUD_EVERY_MS } = data;
  for (const name of [...NEEDED[kind], ...(auth === undefined ? [] : NEEDED_BY_AUTH[auth])])
    if (data[name] === undefined) building.report([...path, name], `is needed for ${auth ?? kind}`);
  if (kind === 'aws-sm' && everyMs < CLOUD_EVERY_MS)
    building.report([...path, 'everyMs'], `must be at least ${CLOUD_EVERY_MS}: each lookup is charged`);
  if (data.address !== undefined) checkAddress(data.address, allowInsecure, [...path, 'address'], building);
  const secret = (name: 'token' | 'secretId' | 'identity'): Partial<StoreData> => {
    const given = data[name];
    const value = given === undefined ? undefined : building.secret(given, [...path, name]);
    return value === undefined ? {} : { [name]: value };
  };
  const built = { ...data, everyMs, ...secret('token'), ...secret('secretId'), ...secret('identity') };
  if (built.identity !== undefined && !building.offline) checkIdentity(kind, built.identity, path, building);
  return built;
}

function checkAddress(address: string, allowInsecure: boolean, path: ConfigPath, { report }: Building): void {
  const url = parseHttpUrl(address);
  if (url === undefined || (url.origin !== address && `${url.origin}/` !== address))
    report(path, 'must be the origin of the store: https, a host, and a port if it needs one');
  else if (url.protocol === 'http:' && !allowInsecure && !isPrivateHost(url.hostname))
    report(path, 'is plain http to a public host; use https, or set upstream.allowInsecure');
}

function checkIdentity(kind: StoreKind, text: string, path: ConfigPath, { report }: Building): void {
  const cloud = CLOUD_OF[kind];
  const at = [...path, 'identity'];
  const identity = readIdentity(text);
  if (identity !== undefined) {
    if (identity.cloud !== cloud) report(at, `is an identity of ${identity.cloud}, which this store does not take`);
    return;
  }
  const read = kind === 'aws-sm' ? readAwsCredential(text) : kind === 'gcp-sm' ? readServiceAccount(text) : undefined;
  if (read === undefined) report(at, 'must be an identity of the machine');
  else if ('problem' in read) report(at, read.problem);
}

/** What is wrong with a reference; undefined: nothing. */
export function problemOfReference(text: string, stores: Readonly<Record<string, StoreData>>): string | undefined {
  const reference = readStoreReference(text);
  if (reference === undefined) return 'is no reference to a store: it has the form vault:store/path#member';
  const { kind, store: name } = reference;
  const found = Object.hasOwn(stores, name) ? stores[name] : undefined;
  if (found === undefined)
    return `names the store "${name}", which secretStores lacks${suggestion(name, Object.keys(stores))}`;
  return found.kind === kind ? undefined : `names the store "${name}", which is of the kind ${found.kind}`;
}
