// Schema of `signIn` and `callerTokens`: issuers whose users may sign in, and issuers whose tokens callers may use.

import Type, { type Static } from 'typebox';
import { rateRule } from '../money/limits/rates-schema.ts';
import { KEY_ENDPOINTS, KEY_PROTOCOLS, ROLES } from '../people/accounts/rights.ts';
import { closed, section } from './schema-parts.ts';

const MAX_ISSUERS = 20;
const MAX_GRANTS = 500;

const text = (description: string, maxLength = 200) => Type.String({ minLength: 1, maxLength, description });
const texts = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 1000, description }));
const issuerUrl = text(
  'The issuer, exactly as its tokens and its discovery document name it. `https`, or `http` on a private network.',
  2048,
);
const issuerId = Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,39}$' });
const account = Type.Optional(
  Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$', description: 'Id of an account.' }),
);

/** The rights of keys, as in the admin API. */
const rights = {
  models: texts('Models, e.g. `openai/*`. Absent: all.'),
  providers: texts('Hosts, by id. Absent: all.'),
  protocols: Type.Optional(Type.Array(Type.Enum([...KEY_PROTOCOLS]), { description: 'Protocols. Absent: all.' })),
  endpoints: Type.Optional(Type.Array(Type.Enum([...KEY_ENDPOINTS]), { description: 'Endpoints. Absent: all.' })),
  rateLimits: Type.Optional(
    Type.Object(rateRule.properties, { ...closed, description: 'Limits of each key. Absent: as for every key.' }),
  ),
};

const keysOfRole = (role: string) =>
  Type.Optional(
    Type.Object(
      {
        ...rights,
        maxDays: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 3650,
            description: 'Longest lifetime of a key, in days. Absent: no limit.',
          }),
        ),
        maxKeys: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 10_000,
            description: 'Most keys of one member at once. Absent: no limit.',
          }),
        ),
      },
      { ...closed, description: `For members with the role ${role}.` },
    ),
  );

const grant = Type.Object(
  {
    group: Type.Optional(text('A group of the issuer. Absent: all users of the issuer.')),
    role: Type.Enum([...ROLES, 'operator'], {
      description: 'The role they get. `operator` is not tied to an account.',
    }),
    account,
  },
  closed,
);

const signInIssuer = Type.Object(
  {
    name: text('Label of the sign-in button.', 80),
    issuer: issuerUrl,
    clientId: text('The client id of the gateway at the issuer.'),
    clientSecret: Type.Optional(
      text("The client's secret, best as `env:NAME` or `file:/path`. Absent: a public client, with PKCE alone.", 4096),
    ),
    scopes: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: 20,
      default: ['openid', 'profile', 'email'],
      description: 'Requested scopes, including `openid`.',
    }),
    groupsClaim: Type.String({
      minLength: 1,
      maxLength: 200,
      default: 'groups',
      description: 'The claim with the groups of a user, in the ID token or else at the userinfo endpoint.',
    }),
    grants: Type.Array(grant, {
      minItems: 1,
      maxItems: MAX_GRANTS,
      description: 'Maps groups to roles: the first match decides. Users without a match may not sign in.',
    }),
  },
  closed,
);

export const signInSchema = section(
  {
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
    audience: text('The audience its tokens must have.'),
    jwksUrl: Type.Optional(text('URL of its public keys (JWKS). Absent: from its discovery document.', 2048)),
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
    accountClaim: Type.Optional(text('The claim that names the account, if `account` does not.')),
    member: Type.Boolean({
      default: false,
      description:
        "Take tokens of members only: the subject must be a member of the account, made by signing in with the same issuer. Usage and budgets are then the member's. Needs a database.",
    }),
    rights: Type.Optional(Type.Object(rights, { ...closed, description: 'What its callers may do. Absent: all.' })),
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

export type SignInData = Static<typeof signInSchema>;
export type CallerTokensData = Static<typeof callerTokensSchema>;
