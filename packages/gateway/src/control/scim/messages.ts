/**
 * What identity providers send over SCIM 2.0 (RFC 7643, 7644), and what they are answered. Of a user only `active` acts after
 * its creation; how it is written differs between Okta, Entra, SailPoint and others, and one that cannot be read means inactive.
 */
import { textIn } from '../../people/identity/oidc-issuer.ts';
import { AdminProblem, type ProblemCode } from '../api/problem.ts';

/** A row of a user and its member. */
export type DirectoryUser = {
  readonly member_id: string;
  readonly user_name: string;
  readonly external_id: string | null;
  readonly name: string;
  readonly email: string | null;
  readonly inactive_at: Date | null;
  readonly deactivated_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
};

export type ScimBody = Readonly<Record<string, unknown>>;

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const CORE = 'urn:ietf:params:scim:schemas:core:2.0';
const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0';
export const SCIM_MEDIA = 'application/scim+json; charset=utf-8';
export const MAX_COUNT = 200;
const MAX_OPERATIONS = 100;
const MAX_NAME = 320;
const MAX_DISPLAY_NAME = 200;

/** In the form of SCIM. */
export class ScimProblem extends AdminProblem {
  readonly #type: string | undefined;

  constructor(code: ProblemCode, message: string, type?: string) {
    super(code, message);
    this.#type = type;
  }

  override get media(): string {
    return SCIM_MEDIA;
  }

  override get body(): object {
    const type = this.#type === undefined ? {} : { scimType: this.#type };
    return { schemas: [`${MESSAGES}:Error`], status: String(this.status), ...type, detail: this.message };
  }
}

const isRecord = (value: unknown): value is ScimBody =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Names of attributes have no case, and may be written with the name of their schema. */
const attributeOf = (name: string): string => {
  const lower = name.trim().toLowerCase();
  const lead = `${USER.toLowerCase()}:`;
  return lower.startsWith(lead) ? lower.slice(lead.length) : lower;
};

const valuesOf = (body: ScimBody, attribute: string): readonly unknown[] =>
  Object.entries(body).flatMap(([name, value]) => (attributeOf(name) === attribute ? [value] : []));

/** `true` or `"True"`, alone or as the `value` of one entry. Everything else is not active. */
function isActive(value: unknown): boolean {
  const one = Array.isArray(value) && value.length === 1 ? value[0] : value;
  const inner = isRecord(one) ? valuesOf(one, 'value')[0] : one;
  return typeof inner === 'string' ? inner.trim().toLowerCase() === 'true' : inner === true;
}

/** Undefined if the attributes do not say. */
export function activeIn(body: ScimBody): boolean | undefined {
  const nested = valuesOf(body, USER.toLowerCase()).filter(isRecord);
  const said = [body, ...nested].flatMap((one) => valuesOf(one, 'active'));
  return said.length === 0 ? undefined : said.every(isActive);
}

function activeOfOperation(operation: unknown): boolean | undefined {
  if (!isRecord(operation)) throw new ScimProblem('invalid', 'An operation must be an object.', 'invalidSyntax');
  const [[op], [path], [value]] = ['op', 'path', 'value'].map((name) => valuesOf(operation, name)) as [
    readonly unknown[],
    readonly unknown[],
    readonly unknown[],
  ];
  const kind = typeof op === 'string' ? op.toLowerCase() : '';
  if (!['add', 'replace', 'remove'].includes(kind))
    throw new ScimProblem('invalid', 'op must be add, replace or remove.', 'invalidSyntax');
  if (path === undefined || path === null || path === '') {
    if (kind === 'remove') throw new ScimProblem('invalid', 'remove needs a path.', 'noTarget');
    if (!isRecord(value)) throw new ScimProblem('invalid', 'Without a path, value must be an object.', 'invalidValue');
    return activeIn(value);
  }
  if (typeof path !== 'string') throw new ScimProblem('invalid', 'path must be a text.', 'invalidPath');
  if (!/^active\b/.test(attributeOf(path))) return undefined;
  return kind !== 'remove' && attributeOf(path) === 'active' && isActive(value);
}

/** What a PATCH makes of `active`; undefined if it is about something else. */
export function activeAfter(body: ScimBody): boolean | undefined {
  const [operations] = valuesOf(body, 'operations');
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > MAX_OPERATIONS)
    throw new ScimProblem('invalid', `Operations must be a list of 1 to ${MAX_OPERATIONS}.`, 'invalidSyntax');
  return operations.map(activeOfOperation).findLast((one) => one !== undefined);
}

export type NewUser = {
  readonly userName: string;
  readonly externalId: string | null;
  readonly name: string;
  readonly email: string | null;
  readonly active: boolean;
};

/** The attributes of a user by their names in lower case. */
const attributesOf = (body: unknown): ScimBody =>
  isRecord(body) ? Object.fromEntries(Object.entries(body).map(([name, value]) => [attributeOf(name), value])) : {};

export function newUserIn(body: ScimBody): NewUser {
  const user = attributesOf(body);
  const userName = textIn(user, ['username']);
  const externalId = textIn(user, ['externalid']) ?? null;
  if (userName === undefined || userName.length > MAX_NAME)
    throw new ScimProblem('invalid', `userName must have 1 to ${MAX_NAME} characters.`, 'invalidValue');
  if (externalId !== null && externalId.length > MAX_NAME)
    throw new ScimProblem('invalid', `externalId must have at most ${MAX_NAME} characters.`, 'invalidValue');
  const names = attributesOf(user['name']);
  const parts = [textIn(names, ['givenname']), textIn(names, ['familyname'])].filter((part) => part !== undefined);
  const name = textIn(user, ['displayname']) ?? textIn(names, ['formatted']) ?? (parts.join(' ') || userName);
  const emails = [user['emails']].flat().map(attributesOf);
  const main = emails.find((one) => isActive(one['primary'])) ?? emails[0] ?? {};
  const email = textIn(main, ['value']) ?? (userName.includes('@') ? userName : '');
  return {
    userName,
    externalId,
    name: name.slice(0, MAX_DISPLAY_NAME),
    email: email.length >= 3 && email.length <= MAX_NAME ? email : null,
    active: activeIn(body) ?? true,
  };
}

export type UserFilter = { readonly by: 'userName' | 'externalId' | 'id'; readonly value: string };
const FILTER = /^\s*(\S+)\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i;
const FILTERED = { username: 'userName', externalid: 'externalId', id: 'id' } as const;

export function filterIn(text: string): UserFilter {
  const [, name = '', quoted = ''] = FILTER.exec(text) ?? [];
  const attribute = attributeOf(name);
  try {
    if (attribute in FILTERED)
      return { by: FILTERED[attribute as keyof typeof FILTERED], value: String(JSON.parse(quoted)) };
  } catch {
    // Not a text of JSON: refused like every other filter.
  }
  throw new ScimProblem('invalid', 'filter must be userName eq "…", externalId eq "…" or id eq "…".', 'invalidFilter');
}

export const listOf = (resources: readonly object[], total = resources.length, startIndex = 1): object => ({
  schemas: [`${MESSAGES}:ListResponse`],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});

/** Which attributes of a user an answer has: at the top level, by their names in lower case. */
export type WantedAttributes = { readonly attributes?: string; readonly excludedAttributes?: string };

const namesIn = (list: string | undefined): readonly string[] | undefined => list?.split(',').map(attributeOf);

export function shownUser(row: DirectoryUser, mount: string, wanted: WantedAttributes): object {
  const [only, without = []] = [namesIn(wanted.attributes), namesIn(wanted.excludedAttributes)];
  const isShown = (name: string): boolean =>
    ALWAYS.has(name) || (only?.includes(name.toLowerCase()) !== false && !without.includes(name.toLowerCase()));
  return Object.fromEntries(Object.entries(wholeUser(row, mount)).filter(([name]) => isShown(name)));
}

const ALWAYS: ReadonlySet<string> = new Set(['schemas', 'id']);

const wholeUser = (user: DirectoryUser, mount: string): object => ({
  schemas: [USER],
  id: user.member_id,
  ...(user.external_id !== null && { externalId: user.external_id }),
  userName: user.user_name,
  displayName: user.name,
  ...(user.email !== null && { emails: [{ value: user.email, primary: true }] }),
  active: user.inactive_at === null && user.deactivated_at === null,
  meta: {
    resourceType: 'User',
    created: user.created_at.toISOString(),
    lastModified: user.updated_at.toISOString(),
    location: `${mount}/Users/${encodeURIComponent(user.member_id)}`,
  },
});

export const serviceProviderConfig = (mount: string): object => ({
  schemas: [`${CORE}:ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_COUNT },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: false },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'The token of the directory, in the header Authorization.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${mount}/ServiceProviderConfig` },
});

export const resourceTypes = (mount: string): readonly object[] => [
  {
    schemas: [`${CORE}:ResourceType`],
    id: 'User',
    name: 'User',
    endpoint: '/Users',
    description: 'Members of the account.',
    schema: USER,
    meta: { resourceType: 'ResourceType', location: `${mount}/ResourceTypes/User` },
  },
];

const attribute = (name: string, more: object = {}): object => ({
  name,
  type: 'string',
  multiValued: false,
  description: name,
  required: false,
  caseExact: false,
  mutability: 'immutable',
  returned: 'default',
  uniqueness: 'none',
  ...more,
});

/** What is taken when a user is created, and later only `active`. */
export const schemas = (mount: string): readonly object[] => [
  {
    schemas: [`${CORE}:Schema`],
    id: USER,
    name: 'User',
    description: 'Members of the account.',
    attributes: [
      attribute('userName', { required: true, uniqueness: 'server' }),
      attribute('displayName'),
      attribute('active', { type: 'boolean', mutability: 'readWrite' }),
      attribute('emails', {
        type: 'complex',
        multiValued: true,
        subAttributes: [attribute('value'), attribute('primary', { type: 'boolean' })],
      }),
    ],
    meta: { resourceType: 'Schema', location: `${mount}/Schemas/${USER}` },
  },
];
