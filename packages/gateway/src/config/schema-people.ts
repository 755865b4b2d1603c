// The form of `signIn` and `callerTokens`: issuers whose people may sign in, and issuers whose tokens callers may present.

import Type, { type Static } from 'typebox';
import { KEY_ENDPOINTS, KEY_PROTOCOLS, ROLES } from '../accounts/rights.ts';
import { closed, section } from './schema-parts.ts';
import { rateRule } from './schema-rates.ts';

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

/** What keys have; as in the admin API. */
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
          Type.Integer({ minimum: 1, maximum: 3650, description: 'Longest life of a key, in days. Absent: no bound.' }),
        ),
        maxKeys: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 10_000,
            description: 'Most keys of one member at once. Absent: no bound.',
          }),
        ),
      },
      { ...closed, description: `For members with the role ${role}.` },
    ),
  );

const grant = Type.Object(
  {
    group: Type.Optional(text('A group of the issuer. Absent: everyone who signs in with it.')),
    role: Type.Enum([...ROLES, 'operator'], { description: 'What they become. `operator` is for no single account.' }),
    account,
  },
  closed,
);

const signInIssuer = Type.Object(
  {
    name: text('What the button to sign in says.', 80),
    issuer: issuerUrl,
    clientId: text('The id the issuer knows the gateway by.'),
    clientSecret: Type.Optional(
      text("The client's secret, best as `env:NAME` or `file:/path`. Absent: a public client, with PKCE alone.", 4096),
    ),
    scopes: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: 20,
      default: ['openid', 'profile', 'email'],
      description: 'Scopes that are asked for; `openid` among them.',
    }),
    groupsClaim: Type.String({
      minLength: 1,
      maxLength: 200,
      default: 'groups',
      description: 'The claim with the groups of a person, in the ID token or else at the userinfo endpoint.',
    }),
    grants: Type.Array(grant, {
      minItems: 1,
      maxItems: MAX_GRANTS,
      description: 'From groups to roles: the first one that fits decides. Who fits none may not sign in.',
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
      description: 'OpenID Connect issuers, by an id of your own, which is part of the redirect address.',
    }),
    keys: section(
      Object.fromEntries(ROLES.map((role) => [role, keysOfRole(role)])) as Record<
        (typeof ROLES)[number],
        ReturnType<typeof keysOfRole>
      >,
      'What keys may have at most that signed-in members make for themselves, by role. What is absent has no bound but that of the account.',
    ),
  },
  'Who may sign in with OpenID Connect, and the keys members make for themselves. See `docs/operate/sign-in.md`.',
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
    audience: text('The audience its tokens must be made for.'),
    jwksUrl: Type.Optional(text('Where its public keys are. Absent: as its discovery document says.', 2048)),
    algorithms: Type.Array(Type.Enum([...TOKEN_ALGORITHMS]), {
      minItems: 1,
      default: ['RS256', 'ES256'],
      description: 'Signatures that are taken.',
    }),
    requires: Type.Record(
      Type.String({ minLength: 1, maxLength: 200 }),
      Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { minItems: 1, maxItems: 100 }),
      {
        ...closed,
        default: {},
        description: 'Claims and the values of which each must have one; a value may end in `*`.',
      },
    ),
    account,
    accountClaim: Type.Optional(text('The claim that names the account, where `account` does not.')),
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
        'Issuers of JSON Web Tokens that callers may present in place of a key, by an id of your own. An issuer may stand several times with other claims: the first one that fits a token decides.',
    }),
  },
  'Callers with a token of an issuer that is trusted, such as a CI system or a cluster. See `docs/operate/caller-tokens.md`.',
);

export type SignInData = Static<typeof signInSchema>;
export type CallerTokensData = Static<typeof callerTokensSchema>;
