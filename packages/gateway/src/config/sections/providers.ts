// `providers`: which hosts are called. Read, they are settings per host: shipped hosts by their id, own hosts by their
// description.

import Type, { type Static } from 'typebox';
import type { DataFacts } from '../../models/catalogue/model.ts';
import { dataFacts } from '../../models/catalogue/schema-data.ts';
import { suggestion } from '../../models/names/nearest.ts';
import { CUSTOM_DIALECTS, type CustomDialect, type CustomProvider } from '../../models/providers/custom.ts';
import { missingVariables } from '../../models/providers/offer-url.ts';
import type { Provider } from '../../models/providers/provider.ts';
import { SHIPPED_PROVIDERS } from '../../models/providers/provider-set.ts';
import { readAwsCredential, readKeyPair, readServiceAccount } from '../../models/providers/signers/credentials.ts';
import { HEADER_SIGNERS } from '../../models/providers/signers/headers.ts';
import { type Cloud, isMistypedIdentity, readIdentity } from '../../models/providers/signers/identities.ts';
import { cloudOf, isScheme, type SigningScheme } from '../../models/providers/signers/schemes.ts';
import { isStoreReference } from '../../models/providers/signers/store-references.ts';
import type { ConfigPath } from '../reading/problem.ts';
import { problemsOfBaseUrl } from '../reading/urls.ts';
import { type Building, closed, map, optionalText } from './parts.ts';
import { QUIRK_NAMES, quirksOfData, quirksSchema } from './quirks.ts';

const MAX_PROVIDERS = 500;

const provider = Type.Object(
  {
    credential: optionalText(
      16_384,
      'The credential for the host, best as `env:NAME`, `file:/path` or a reference to one of `secretStores`, or an identity of the machine: `aws:web-identity`, `aws:container`, `aws:imds`, `gcp:metadata`, `gcp:file:/path`, `azure:managed` or `azure:workload`.',
    ),
    credentials: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 16_384 }), {
        minItems: 1,
        maxItems: 16,
        description:
          'Further credentials of the same host, each like `credential`: used in this order while those before are refused or rate limited.',
      }),
    ),
    baseUrl: optionalText(
      2048,
      'Base URL. For a built-in provider it replaces the known one; for a custom one it is required: up to, not including, the path the wire format fixes, e.g. `http://10.0.0.7:8000/v1`.',
    ),
    variables: map(
      '^[a-z]+$',
      Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$' }),
      'Values for the variables in the base URL, e.g. `resource: my-team`.',
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
    displayName: optionalText(200, 'Own hosts only: display name.'),
  },
  closed,
);

export const providersSchema = Type.Record(Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,63}$' }), provider, {
  ...closed,
  maxProperties: MAX_PROVIDERS,
  default: {},
  description: 'Providers to call, by id: the id of a built-in provider, or a new one with `dialect` and `baseUrl`.',
});

type ProviderData = Static<typeof provider>;

export interface ProviderSettings extends DataFacts {
  readonly id: string;
  /** The resolved secret, an identity, or a reference to a store. Never log it. */
  readonly credential?: string;
  /** Further credentials of the same host, resolved as well. */
  readonly spareCredentials?: readonly string[];
  /** Replaces the shipped base URL; an own host has it in `own` as well. */
  readonly baseUrl?: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Present if the operator described the host; absent if the id names a shipped one. */
  readonly own?: CustomProvider;
}

const SHIPPED: ReadonlyMap<string, Provider> = new Map(SHIPPED_PROVIDERS.map((provider) => [provider.id, provider]));
const OWN_ONLY = ['auth', 'quirks', 'displayName'] as const;
/** Characters allowed in a header. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

const checkBaseUrl = (data: ProviderData, path: ConfigPath, allowInsecure: boolean, building: Building): void => {
  if (data.baseUrl === undefined) return;
  for (const problem of problemsOfBaseUrl(data.baseUrl, data.variables, allowInsecure))
    building.report([...path, 'baseUrl'], problem);
};

const ownHost = (id: string, data: ProviderData, path: ConfigPath, building: Building): CustomProvider | undefined => {
  const { dialect, baseUrl, quirks, displayName } = data;
  if (dialect === undefined || baseUrl === undefined) {
    const known = dialect === undefined ? suggestion(id, [...SHIPPED.keys()]) : '';
    const lacks = [dialect === undefined ? '"dialect"' : '', baseUrl === undefined ? '"baseUrl"' : ''].filter(Boolean);
    building.report(path, `is not a built-in provider; a custom one needs ${lacks.join(' and ')}${known}`, 'key');
    return undefined;
  }
  checkQuirks(dialect, quirks ?? {}, [...path, 'quirks'], building);
  const hasCredential = data.credential !== undefined || data.credentials !== undefined;
  const auth = data.auth ?? (hasCredential ? 'bearer' : 'none');
  if (auth === 'none' && hasCredential) building.report([...path, 'auth'], 'is "none", yet there is a credential');
  if (auth !== 'none' && !hasCredential) building.report([...path, 'auth'], `is "${auth}", yet there is no credential`);
  return {
    id,
    dialect,
    baseUrl,
    auth,
    ...(quirks === undefined ? {} : { quirks: quirksOfData(quirks) }),
    ...(displayName === undefined ? {} : { displayName }),
  };
};

/** The schema contains every format's quirks; a host may have those of its own format only. */
const checkQuirks = (dialect: CustomDialect, quirks: object, path: ConfigPath, building: Building): void => {
  const known = QUIRK_NAMES[dialect];
  for (const name of Object.keys(quirks)) {
    if (!known.includes(name))
      building.report([...path, name], `is not a quirk of ${dialect}${suggestion(name, known)}`, 'key');
  }
};

const checkShipped = (
  host: Provider,
  data: ProviderData,
  variables: Variables,
  path: ConfigPath,
  building: Building,
): void => {
  for (const name of OWN_ONLY) {
    if (data[name] !== undefined)
      building.report([...path, name], `is for custom providers; ${host.id} is built in`, 'key');
  }
  const { baseUrl } = data;
  const settings = { variables, ...(baseUrl === undefined ? {} : { baseUrl }) };
  const lacking = Object.values(host.offers).map((offer) => missingVariables(offer, settings));
  if (lacking.length === 0) building.notice(path, 'this host cannot be called by this version yet', 'key');
  else if (lacking.every((names) => names.length > 0))
    building.report([...path, 'variables'], `needs ${[...new Set(lacking.flat())].join(', ')}`);
  const needsCredential = Object.values(host.offers).some((offer) => offer.credential !== 'optional');
  if (data.credential === undefined && data.credentials === undefined && needsCredential)
    building.notice(path, 'has no credential, so its models are not offered', 'key');
};

const schemeOf = (host: Provider): SigningScheme | undefined =>
  Object.values(host.offers)
    .map(({ sign }) => sign)
    .find(isScheme);

const cloudsOf = (host: Provider): ReadonlySet<Cloud | undefined> => new Set(Object.values(host.offers).map(cloudOf));

type Variables = Readonly<Record<string, string>>;

/** Variables that a credential which was not read may define. */
const NAMED_BY_CREDENTIALS: Variables = { project: 'unread' };

/** Returns the variables that a credential defines itself. */
const checkCredential = (
  host: Provider | undefined,
  credential: string,
  path: ConfigPath,
  building: Building,
): Variables => {
  const identity = readIdentity(credential);
  if (identity !== undefined || isMistypedIdentity(credential)) {
    const known = host && cloudsOf(host);
    if (identity === undefined) building.report(path, 'is no identity of a machine that is known');
    else if (known?.has(identity.cloud) !== true)
      building.report(path, `is an identity of ${identity.cloud}, which this host does not take`);
    return {};
  }
  const scheme = host && schemeOf(host);
  if (scheme?.kind === 'google-oauth') {
    const read = readServiceAccount(credential);
    if ('problem' in read) building.report(path, read.problem);
    else if (read.value.projectId !== undefined) return { project: read.value.projectId };
    return {};
  }
  const read =
    scheme?.kind === 'aws-sigv4'
      ? readAwsCredential(credential)
      : scheme?.kind === 'key-pair-jwt'
        ? readKeyPair(credential)
        : undefined;
  if (read !== undefined && 'problem' in read) building.report(path, read.problem);
  else if (!HEADER_VALUE.test(credential))
    building.report(path, 'contains characters that are not allowed in a header');
  return {};
};

/** In the order of use, `credential` first, and the variables the first one defines. */
const buildCredentials = (
  { credential, credentials = [] }: ProviderData,
  host: Provider | undefined,
  path: ConfigPath,
  building: Building,
): { readonly secrets: readonly string[]; readonly defined: Variables } => {
  const given: readonly (readonly [text: string, at: ConfigPath])[] = [
    ...(credential === undefined ? [] : [[credential, [...path, 'credential']] as const]),
    ...credentials.map((text, index) => [text, [...path, 'credentials', index]] as const),
  ];
  const secrets: string[] = [];
  let defined: Variables = {};
  for (const [text, at] of given) {
    // It is read while the gateway runs.
    const secret = isStoreReference(text) ? building.reference(text, at) : building.secret(text, at);
    if (secret === undefined) continue;
    if (secrets.includes(secret)) building.report(at, 'is the same as one before it');
    if (isStoreReference(secret)) {
      secrets.push(secret);
      continue;
    }
    const defines = checkCredential(host, secret, at, building);
    if (secrets.length === 0) defined = defines;
    secrets.push(secret);
  }
  return { secrets, defined };
};

const buildProvider = (
  id: string,
  data: ProviderData,
  allowInsecure: boolean,
  building: Building,
): ProviderSettings => {
  const path = ['providers', id];
  const shipped = SHIPPED.get(id);
  const isOwn = shipped === undefined || data.dialect !== undefined;
  checkBaseUrl(data, path, allowInsecure, building);
  const own = isOwn ? ownHost(id, data, path, building) : undefined;
  const { secrets, defined } = buildCredentials(data, isOwn ? undefined : shipped, path, building);
  const [credential, ...spareCredentials] = secrets;
  const variables = { ...(building.offline && NAMED_BY_CREDENTIALS), ...defined, ...data.variables };
  if (!isOwn) checkShipped(shipped, data, variables, path, building);
  return {
    id,
    variables,
    ...(credential === undefined ? {} : { credential }),
    ...(spareCredentials.length === 0 ? {} : { spareCredentials }),
    ...(data.baseUrl === undefined ? {} : { baseUrl: data.baseUrl.replace(/\/+$/, '') }),
    ...(own === undefined ? {} : { own }),
    ...(data.region === undefined ? {} : { region: data.region }),
    ...(data.retentionDays === undefined ? {} : { retentionDays: data.retentionDays }),
    ...(data.trains === undefined ? {} : { trains: data.trains }),
  };
};

export const buildProviders = (
  providers: Readonly<Record<string, ProviderData>>,
  allowInsecure: boolean,
  building: Building,
): Readonly<Record<string, ProviderSettings>> => {
  const built: Record<string, ProviderSettings> = Object.create(null);
  for (const [id, data] of Object.entries(providers)) built[id] = buildProvider(id, data, allowInsecure, building);
  return built;
};
