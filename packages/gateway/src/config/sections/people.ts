// `signIn` and `callerTokens`: issuers whose users may sign in, and issuers whose tokens callers may use. Read, issuers
// are lists and their secrets are resolved.

import Type, { type Static } from 'typebox';
import { FORMS } from '../../control/api/forms.ts';
import { rateRule } from '../../money/limits/rates-schema.ts';
import { hashSecret } from '../../people/accounts/key-secret.ts';
import { KEY_ENDPOINTS, KEY_PROTOCOLS, type Rights, ROLES, type Role } from '../../people/accounts/rights.ts';
import { type CallerIssuer, SCIM_TOKEN, type SignInIssuer, type UserDirectory } from '../../people/identity/issuers.ts';
import type { ConfigPath } from '../reading/problem.ts';
import { isPrivateHost, parseHttpUrl } from '../reading/urls.ts';
import {
  type Building,
  closed,
  flag,
  integer,
  list,
  map,
  optionalInteger,
  optionalSection,
  optionalText,
  section,
  text,
} from './parts.ts';

const MAX_ISSUERS = 20;
const MAX_GRANTS = 500;

const texts = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 1000, description }));
const issuerUrl = text(
  2048,
  'The issuer, exactly as its tokens and its discovery document name it. `https`, or `http` on a private network.',
);
const issuerId = Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,39}$' });
const accountId = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$', description: 'Id of an account.' });
const account = Type.Optional(accountId);

/** The rights of keys, as in the admin API. */
const rights = {
  models: texts('Models, e.g. `openai/*`. Absent: all.'),
  providers: texts('Hosts, by id. Absent: all.'),
  protocols: Type.Optional(Type.Array(Type.Enum([...KEY_PROTOCOLS]), { description: 'Protocols. Absent: all.' })),
  endpoints: Type.Optional(Type.Array(Type.Enum([...KEY_ENDPOINTS]), { description: 'Endpoints. Absent: all.' })),
  rateLimits: optionalSection(rateRule.properties, 'Limits of each key. Absent: as for every key.'),
};

const keysOfRole = (role: string) =>
  optionalSection(
    {
      ...rights,
      maxDays: optionalInteger(1, 3650, 'Longest lifetime of a key, in days. Absent: no limit.'),
      maxKeys: optionalInteger(1, 10_000, 'Most keys of one member at once. Absent: no limit.'),
    },
    `For members with the role ${role}.`,
  );

const grant = Type.Object(
  {
    group: optionalText(200, 'A group of the issuer. Absent: all users of the issuer.'),
    role: Type.Enum([...ROLES, 'operator'], {
      description: 'The role they get. `operator` is not tied to an account.',
    }),
    account,
    rights: optionalSection(
      rights,
      'The most that the keys and tokens of these members may do, whatever rights they were made with. Absent: no limit.',
    ),
    tags: Type.Optional(
      Type.Record(
        Type.String({ pattern: FORMS.tagKey }),
        Type.Object(
          {
            claim: optionalText(200, 'The claim whose text is the value.'),
            value: optionalText(100, 'The value, the same for all.'),
          },
          closed,
        ),
        {
          ...closed,
          maxProperties: 20,
          description:
            'Tags of all calls of these members, by tag: budgets and policies apply to them. The account must declare the tags, and what callers send for them does not count.',
        },
      ),
    ),
  },
  closed,
);

const signInIssuer = Type.Object(
  {
    name: text(80, 'Label of the sign-in button.'),
    issuer: issuerUrl,
    clientId: text(200, 'The client id of the gateway at the issuer.'),
    clientSecret: optionalText(
      4096,
      "The client's secret, best as `env:NAME` or `file:/path`. Absent: a public client, with PKCE alone.",
    ),
    scopes: list(
      Type.String({ minLength: 1, maxLength: 100 }),
      20,
      ['openid', 'profile', 'email'],
      'Requested scopes, including `openid`.',
    ),
    groupsClaim: text(
      200,
      'The claim with the groups of a user, in the ID token or else at the userinfo endpoint.',
      'groups',
    ),
    offline: section(
      {
        scope: Type.String({
          maxLength: 200,
          default: 'offline_access',
          description: 'The scope that asks for a refresh token. Empty: none, as with Google.',
        }),
        parameters: Type.Record(
          Type.String({ pattern: '^[a-z_]{1,40}$' }),
          Type.String({ minLength: 1, maxLength: 200 }),
          {
            ...closed,
            maxProperties: 10,
            default: { prompt: 'consent' },
            description: 'Parameters that are sent with it. For Google: `access_type: offline`, `prompt: consent`.',
          },
        ),
      },
      'How a refresh token is asked for, with which people who are signed in from programs are proven again.',
    ),
    externalIdClaim: text(
      200,
      'The claim whose value the directory (SCIM) has as `externalId`: `sub` for most, `oid` for Entra with `objectId` mapped to `externalId`.',
      'sub',
    ),
    grants: Type.Array(grant, {
      minItems: 1,
      maxItems: MAX_GRANTS,
      description: 'Maps groups to roles: the first match decides. Users without a match may not sign in.',
    }),
  },
  closed,
);

const directory = Type.Object(
  {
    issuer: text(40, 'The sign-in issuer whose people it manages, by its id in `signIn.issuers`.'),
    account: accountId,
    token: text(
      4096,
      'The bearer token that the identity provider sends, best as `env:NAME` or `file:/path`: `scim-trivium-` and at least 32 further characters. It is good for SCIM and for nothing else.',
    ),
  },
  closed,
);

export const signInSchema = section(
  {
    proofDays: optionalInteger(
      1,
      3650,
      'Days that the keys of a member are accepted after the last sign-in of the person, or after the creation of a member that has not signed in yet; the next sign-in brings them back. Not for service accounts, and for keys without a member. Absent: keys do not depend on sign-ins.',
    ),
    directories: map(
      '^[a-z0-9][a-z0-9-]{0,39}$',
      directory,
      'Directories that manage members over SCIM 2.0 at `/scim/v2`, by an id you choose: each one account of one issuer. Needs a database. Empty: there is no SCIM.',
    ),
    issuers: Type.Record(issuerId, signInIssuer, {
      ...closed,
      default: {},
      maxProperties: MAX_ISSUERS,
      description: 'OpenID Connect issuers, by an id you choose, which is part of the redirect URL.',
    }),
    keys: section(
      Object.fromEntries(ROLES.map((role) => [role, keysOfRole(role)])) as Record<
        (typeof ROLES)[number],
        ReturnType<typeof keysOfRole>
      >,
      'Upper bounds of the keys that signed-in members create for themselves, by role. Absent values are limited by the account only.',
    ),
    programs: optionalSection(
      {
        accessMinutes: integer(1, 1440, 60, 'Lifetime of the tokens that programs call with. Claude Code needs 15.'),
        outageHours: integer(
          1,
          720,
          24,
          'How long a person counts as proven while the issuer does not answer. Then tokens are not renewed until it does.',
        ),
        unprovenHours: integer(
          1,
          720,
          12,
          'How long a sign-in lasts if the issuer gives no refresh token, so that the person cannot be proven again.',
        ),
        notice: optionalText(500, 'A text that programs show at sign-in.'),
      },
      'Sign-in from programs such as Claude Code and `trivium login`. Absent: off. Needs `listen.publicUrl`, a database and `secrets.keys`. See `docs/operate/sign-in-for-agents.md`.',
    ),
  },
  'Who may sign in with OpenID Connect, and the keys members create for themselves. See `docs/operate/sign-in.md`.',
);

const TOKEN_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

const callerIssuer = Type.Object(
  {
    issuer: issuerUrl,
    audience: text(200, 'The audience its tokens must have.'),
    jwksUrl: optionalText(2048, 'URL of its public keys (JWKS). Absent: from its discovery document.'),
    algorithms: Type.Array(Type.Enum([...TOKEN_ALGORITHMS]), {
      minItems: 1,
      default: ['RS256', 'ES256'],
      description: 'Accepted signature algorithms.',
    }),
    requires: Type.Record(
      Type.String({ minLength: 1, maxLength: 200 }),
      Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { minItems: 1, maxItems: 100 }),
      {
        ...closed,
        default: {},
        description: 'Claims and their accepted values: each claim must have one of them; a value may end in `*`.',
      },
    ),
    account,
    accountClaim: optionalText(200, 'The claim that names the account, if `account` does not.'),
    member: flag(
      false,
      "Take tokens of members only: the subject must be a member of the account, made by signing in with the same issuer. Usage and budgets are then the member's. Needs a database.",
    ),
    rights: optionalSection(rights, 'What its callers may do. Absent: all.'),
  },
  closed,
);

export const callerTokensSchema = section(
  {
    issuers: Type.Record(issuerId, callerIssuer, {
      ...closed,
      default: {},
      maxProperties: MAX_ISSUERS,
      description:
        'Issuers of JSON Web Tokens that callers may use instead of a key, by an id you choose. An issuer may be listed several times with other claims: the first match decides.',
    }),
  },
  'Callers with a token of a trusted issuer, such as a CI system or a cluster. See `docs/operate/caller-tokens.md`.',
);

/** Upper bounds of the keys that members of a role create for themselves. */
export type RoleKeys = Rights & { readonly maxDays?: number; readonly maxKeys?: number };

export interface SignInSettings {
  readonly proofDays?: number;
  readonly directories: readonly UserDirectory[];
  readonly issuers: readonly SignInIssuer[];
  /** Absent: programs sign in with keys only. */
  readonly programs?: NonNullable<Static<typeof signInSchema>['programs']> & { readonly publicUrl: string };
  readonly keys: Readonly<Partial<Record<Role, RoleKeys>>>;
}

const checkUrl = (text: string, path: ConfigPath, building: Building): void => {
  const url = parseHttpUrl(text);
  if (url === undefined) building.report(path, 'must be an https URL');
  else if (url.protocol === 'http:' && !isPrivateHost(url.hostname))
    building.report(path, 'must be https; http is for private networks only');
};

const checkGrants = (
  grants: SignInIssuer['grants'],
  path: ConfigPath,
  hasDatabase: boolean,
  building: Building,
): void => {
  for (const [at, { role, account, rights, tags }] of grants.entries()) {
    const place = [...path, 'grants', at];
    if (role === 'operator' && account !== undefined)
      building.report([...place, 'account'], 'is not for operators, who act for all accounts');
    if (role !== 'operator' && account === undefined) building.report(place, 'needs an account for this role');
    for (const [key, { claim, value }] of Object.entries(tags ?? {}))
      if ((claim === undefined) === (value === undefined))
        building.report([...place, 'tags', key], 'needs either claim or value');
    if (role === 'operator' && (rights !== undefined || tags !== undefined))
      building.report(place, 'has rights or tags, which operators do not have');
    if (role !== 'operator' && !hasDatabase) building.report(place, 'makes members, which need a database');
  }
};

/** People enter codes at this address, so it must be the gateway's own, over a connection that cannot be read. */
function programsIn(
  { programs, issuers }: Static<typeof signInSchema>,
  { publicUrl, hasDatabase, hasKeys }: SignInSurroundings,
  building: Building,
): SignInSettings['programs'] {
  if (programs === undefined) return undefined;
  const path = ['signIn', 'programs'];
  const url = publicUrl === undefined ? undefined : parseHttpUrl(publicUrl);
  if (publicUrl === undefined) building.report(path, 'needs listen.publicUrl, the address that people are sent to');
  else if (url?.protocol === 'http:' && !LOOPBACK.has(url.hostname))
    building.report(path, 'needs an https address in listen.publicUrl; http is for this machine only');
  if (!hasDatabase) building.report(path, 'needs a database');
  if (!hasKeys) building.report(path, 'needs secrets.keys, which encrypt what the issuer gives');
  if (Object.keys(issuers).length === 0) building.report(path, 'needs an issuer in signIn.issuers');
  return { ...programs, publicUrl: url?.origin ?? '' };
}

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

type SignInSurroundings = {
  readonly publicUrl: string | undefined;
  readonly hasDatabase: boolean;
  readonly hasKeys: boolean;
};

export function buildSignIn(
  data: Static<typeof signInSchema>,
  surroundings: SignInSurroundings,
  building: Building,
): SignInSettings {
  const { hasDatabase } = surroundings;
  const issuers = Object.entries(data.issuers).map(([id, { clientSecret, ...issuer }]): SignInIssuer => {
    const path = ['signIn', 'issuers', id];
    checkUrl(issuer.issuer, [...path, 'issuer'], building);
    checkGrants(issuer.grants, path, hasDatabase, building);
    if (!issuer.scopes.includes('openid')) building.report([...path, 'scopes'], 'must have openid');
    const secret = clientSecret === undefined ? undefined : building.secret(clientSecret, [...path, 'clientSecret']);
    return { ...issuer, id, ...(secret !== undefined && { clientSecret: secret }) };
  });
  const programs = programsIn(data, surroundings, building);
  const directories = buildDirectories(data, surroundings.hasDatabase, building);
  const { proofDays, keys } = data;
  return {
    issuers,
    directories,
    keys,
    ...(proofDays !== undefined && { proofDays }),
    ...(programs !== undefined && { programs }),
  };
}

/** Of the token only the hash is kept. */
function buildDirectories(
  { directories, issuers }: Static<typeof signInSchema>,
  hasDatabase: boolean,
  building: Building,
): readonly UserDirectory[] {
  const seen = new Set<string>();
  return Object.entries(directories).flatMap(([id, { issuer, account, token }]) => {
    const path = ['signIn', 'directories', id];
    const known = issuers[issuer];
    if (known === undefined) building.report([...path, 'issuer'], `is no issuer of signIn.issuers: "${issuer}"`);
    if (!hasDatabase) building.report(path, 'manages members, which need a database');
    const secret = building.secret(token, [...path, 'token']);
    if (secret === undefined || known === undefined) return [];
    if (!SCIM_TOKEN.test(secret))
      building.report([...path, 'token'], 'must be scim-trivium- and at least 32 letters, digits, "-" or "_"');
    const tokenHash = hashSecret(secret);
    if (seen.has(tokenHash)) building.report([...path, 'token'], 'is the token of another directory');
    seen.add(tokenHash);
    return [{ id, issuer: known.issuer, account, tokenHash }];
  });
}

export function buildCallerIssuers(
  data: Static<typeof callerTokensSchema>,
  hasDatabase: boolean,
  building: Building,
): readonly CallerIssuer[] {
  return Object.entries(data.issuers).map(([id, issuer]): CallerIssuer => {
    const path = ['callerTokens', 'issuers', id];
    checkUrl(issuer.issuer, [...path, 'issuer'], building);
    if (issuer.jwksUrl !== undefined) checkUrl(issuer.jwksUrl, [...path, 'jwksUrl'], building);
    if ((issuer.account === undefined) === (issuer.accountClaim === undefined))
      building.report(path, 'needs either "account" or "accountClaim"');
    if ((issuer.member || issuer.accountClaim !== undefined) && !hasDatabase)
      building.report(path, 'needs a database for members, or for accounts that tokens name');
    return { ...issuer, id };
  });
}
